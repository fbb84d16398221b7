// A vLLM-shaped upstream fast enough not to be the bottleneck: one thread, epoll, 127.0.0.1 only.
// usage: mock [-p port] [-m listed-model]...
// The answer is chosen by the request's "model": mock[-nN][-dUS][-sBYTES][-bK][-k{c|t|w}][-aKB]
//   stream:true  -> SSE: N content events of S bytes, one every D microseconds (0: as fast as they go),
//                   K events per write; k=c content with timestamps, k=t text dialect
//                   (<tool_call>{json}</tool_call> with an A-KB file argument cut into S-byte deltas),
//                   k=w native tool_calls deltas of the same argument.
//   otherwise    -> one JSON completion with a tool call (~1 KB), or with k=t the whole text dialect.
// In k=c every content starts with t=<16 digits> (CLOCK_MONOTONIC ns, low 16 digits) and the first also carries
// r=<16 digits>, when the request was complete here.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;
static u64 now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (u64)t.tv_sec * 1000000000ull + t.tv_nsec;
}

typedef struct conn {
  int fd;
  char *rb;
  size_t rl, rc;
  char *wb;
  size_t wl, wo, wc;
  int wantw;
  int streaming;
  u64 n, i;
  u64 delay;
  int size, burst;
  char kind;
  int akb;
  u64 due, t_req;
  char model[128];
  int modell;
  int heap;
  int ready;
  int close_after;
  size_t tpos;
} conn;
static int ep;
static conn **heap;
static int hn, hcap;
static char *dialect[1025];
static size_t dialect_len[1025];  // raw text by KB
static char model_list[65536] = "{\"object\":\"list\",\"data\":[]}";
static u64 total_chunks, total_reqs;

static void hswap(int a, int b) {
  conn *t = heap[a];
  heap[a] = heap[b];
  heap[b] = t;
  heap[a]->heap = a;
  heap[b]->heap = b;
}
static void hup(int i) {
  while (i > 0) {
    int p = (i - 1) / 2;
    if (heap[p]->due <= heap[i]->due) break;
    hswap(i, p);
    i = p;
  }
}
static void hdown(int i) {
  for (;;) {
    int l = 2 * i + 1, m = i;
    if (l < hn && heap[l]->due < heap[m]->due) m = l;
    if (l + 1 < hn && heap[l + 1]->due < heap[m]->due) m = l + 1;
    if (m == i) return;
    hswap(i, m);
    i = m;
  }
}
static void hpush(conn *c) {
  if (c->heap >= 0) return;
  if (hn == hcap) {
    hcap = hcap ? hcap * 2 : 1024;
    heap = realloc(heap, hcap * sizeof *heap);
  }
  heap[hn] = c;
  c->heap = hn++;
  hup(c->heap);
}
static void hrem(conn *c) {
  int i = c->heap;
  if (i < 0) return;
  hn--;
  if (i != hn) {
    heap[i] = heap[hn];
    heap[i]->heap = i;
    hup(i);
    hdown(i);
  }
  c->heap = -1;
}

static conn **ready;
static int rn, rcap;
static void rpush(conn *c) {
  if (c->ready) return;
  if (rn == rcap) {
    rcap = rcap ? rcap * 2 : 1024;
    ready = realloc(ready, rcap * sizeof *ready);
  }
  ready[rn++] = c;
  c->ready = 1;
}

static void cclose(conn *c) {
  hrem(c);
  if (c->ready) {
    for (int i = 0; i < rn; i++)
      if (ready[i] == c) {
        ready[i] = 0;
      }
  }
  close(c->fd);
  free(c->rb);
  free(c->wb);
  c->fd = -1;
  c->rb = c->wb = 0;
  free(c);
}
static void ensure(conn *c, size_t n) {
  if (c->wl + n > c->wc) {
    c->wc = (c->wl + n) * 2 + 4096;
    c->wb = realloc(c->wb, c->wc);
  }
}
static void put(conn *c, const char *s, size_t n) {
  ensure(c, n);
  memcpy(c->wb + c->wl, s, n);
  c->wl += n;
}
static int flush_(conn *c) {  // 0 ok, 1 blocked, -1 dead
  while (c->wo < c->wl) {
    ssize_t r = send(c->fd, c->wb + c->wo, c->wl - c->wo, MSG_NOSIGNAL);
    if (r < 0) {
      if (errno == EAGAIN) {
        if (!c->wantw) {
          c->wantw = 1;
          struct epoll_event e = {EPOLLIN | EPOLLOUT, {.ptr = c}};
          epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
        }
        return 1;
      }
      return -1;
    }
    c->wo += r;
  }
  c->wl = c->wo = 0;
  if (c->wantw) {
    c->wantw = 0;
    struct epoll_event e = {EPOLLIN, {.ptr = c}};
    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
  }
  return 0;
}

static const char *lorem =
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna "
    "aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris ";
static void mkdialect(int kb) {
  if (dialect[kb]) return;
  size_t need = (size_t)kb * 1024;
  char *b = malloc(need * 2 + 4096);
  size_t l = 0;
  l += sprintf(b + l,
               "I'll write the file now.\\n\\n<tool_call>\\n{\\\"name\\\": \\\"write_file\\\", \\\"arguments\\\": "
               "{\\\"path\\\": \\\"/src/app/main.ts\\\", \\\"content\\\": \\\"");
  // raw text carries a JSON-escaped content, which inside the SSE JSON is escaped a second time
  size_t made = 0;
  int ln = 0;
  while (made < need) {
    char t[200];
    int k = snprintf(t, sizeof t,
                     "  const value%d = await compute(%d, { retries: 3, label: \\\\\\\"row %d\\\\\\\" });\\\\n", ln,
                     ln * 7, ln);
    ln++;
    memcpy(b + l, t, k);
    l += k;
    made += k - 6;
  }
  l += sprintf(b + l, "\\\"}}\\n</tool_call>");
  b[l] = 0;
  dialect[kb] = b;
  dialect_len[kb] = l;
}
// next cut point of an already JSON-escaped text that does not split an escape
static size_t cut(const char *s, size_t pos, size_t len, size_t n) {
  size_t e = pos, k = 0;
  while (e < len && k < n) {
    if (s[e] == '\\') {
      e += (s[e + 1] == 'u') ? 6 : 2;
    } else
      e++;
    k++;
  }
  return e;
}

static int emit_event(conn *c, u64 t) {  // appends one SSE event as one HTTP chunk; returns 0 when the stream is over
  char ev[8192];
  int l = 0;
#define HEAD                                                                                                          \
  "data: "                                                                                                            \
  "{\"id\":\"chatcmpl-6f1f9c3e0b7d4a52\",\"object\":\"chat.completion.chunk\",\"created\":1754000000,\"model\":\"%.*" \
  "s\",\"choices\":[{\"index\":0,\"delta\":"
#define TAIL ",\"logprobs\":null,\"finish_reason\":null}]}\n\n"
  u64 end = c->n;
  if (c->i == 0) {
    l = snprintf(ev, sizeof ev, HEAD "{\"role\":\"assistant\",\"content\":\"\"}" TAIL, c->modell, c->model);
  } else if (c->i <= end) {
    if (c->kind == 'c') {
      int k = snprintf(ev, sizeof ev, HEAD "{\"content\":\"t=%016llu ", c->modell, c->model,
                       (unsigned long long)(t % 10000000000000000ull));
      l = k;
      int sz = 18;
      if (c->i == 1) {
        k = snprintf(ev + l, sizeof ev - l, "r=%016llu ", (unsigned long long)(c->t_req % 10000000000000000ull));
        l += k;
        sz += k;
      }
      int pad = c->size - sz;
      if (pad > 0) {
        if (pad > 4000) pad = 4000;
        int off = (c->i * 13) % 120;
        while (pad > 0) {
          int q = pad < 60 ? pad : 60;
          memcpy(ev + l, lorem + off, q);
          l += q;
          pad -= q;
        }
      }
      k = snprintf(ev + l, sizeof ev - l, "\"}" TAIL);
      l += k;
    } else {
      const char *s = dialect[c->akb];
      size_t len = dialect_len[c->akb];
      if (c->kind == 'w') {
        len -= 15;
        if (!c->tpos) c->tpos = strstr(s, "{\\\"path") - s;
      }
      size_t e = cut(s, c->tpos, len, c->size);
      int k;
      if (c->kind == 't') {
        k = snprintf(ev, sizeof ev, HEAD "{\"content\":\"", c->modell, c->model);
        l = k;
        memcpy(ev + l, s + c->tpos, e - c->tpos);
        l += e - c->tpos;
        k = snprintf(ev + l, sizeof ev - l, "\"}" TAIL);
        l += k;
      } else {
        k = snprintf(ev, sizeof ev, HEAD "{\"tool_calls\":[{\"index\":0,%s\"function\":{%s\"arguments\":\"", c->modell,
                     c->model, c->i == 1 ? "\"id\":\"call_a1b2c3\",\"type\":\"function\"," : "",
                     c->i == 1 ? "\"name\":\"write_file\"," : "");
        l = k;
        memcpy(ev + l, s + c->tpos, e - c->tpos);
        l += e - c->tpos;
        k = snprintf(ev + l, sizeof ev - l, "\"}}]}" TAIL);
        l += k;
      }
      c->tpos = e;
      if (e >= len) c->n = c->i;
    }
  } else if (c->i == end + 1) {
    l = snprintf(
        ev, sizeof ev,
        "data: "
        "{\"id\":\"chatcmpl-6f1f9c3e0b7d4a52\",\"object\":\"chat.completion.chunk\",\"created\":1754000000,\"model\":"
        "\"%.*s\",\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"%s\",\"stop_reason\":"
        "null}],\"usage\":{\"prompt_tokens\":1234,\"total_tokens\":1298,\"completion_tokens\":64}}\n\n",
        c->modell, c->model, c->kind == 'w' ? "tool_calls" : "stop");
  } else {
    l = snprintf(ev, sizeof ev, "data: [DONE]\n\n");
  }
  char hx[16];
  int h = snprintf(hx, sizeof hx, "%x\r\n", l);
  put(c, hx, h);
  put(c, ev, l);
  put(c, "\r\n", 2);
  total_chunks++;
  c->i++;
  if (c->i > c->n + 2) {
    put(c, "0\r\n\r\n", 5);
    return 0;
  }
  return 1;
}
static int process(conn *c);
static int step(conn *c, u64 t) {  // emit what is due; -1 dead
  if (!c->streaming) return 0;
  if (c->wl > c->wo) {
    return 0;
  }
  int live = 1;
  for (int k = 0; k < c->burst && live; k++) live = emit_event(c, t);
  if (c->i == 1 && live && c->delay) live = emit_event(c, t);  // role event and the first content go out together
  while (live && c->i > c->n) live = emit_event(c, t);         // finish, usage, [DONE] together with the last
  if (!live) c->streaming = 0;
  int r = flush_(c);
  if (r < 0) return -1;
  if (!c->streaming) return r ? 0 : process(c);
  if (c->delay) {
    c->due += c->delay;
    hpush(c);
  } else if (r == 0)
    rpush(c);
  return 0;
}
static int opt(const char *s, int n, const char *k, long *v) {
  char *p = memmem(s, n, k, 2);
  if (!p) return 0;
  *v = strtol(p + 2, 0, 10);
  return 1;
}
static int process(conn *c) {  // handle complete requests in rb
  while (!c->streaming && c->rl > 0) {
    char *he = memmem(c->rb, c->rl, "\r\n\r\n", 4);
    if (!he) return 0;
    size_t hl = he - c->rb + 4;
    char *h = c->rb;
    long cl = 0;
    int chunked = 0, expect = 0, closeit = 0;
    char *p = memchr(h, '\n', hl);
    while (p && p < he) {
      p++;
      if (!strncasecmp(p, "content-length:", 15))
        cl = strtol(p + 15, 0, 10);
      else if (!strncasecmp(p, "transfer-encoding:", 18)) {
        char *e = memchr(p, '\n', hl - (p - h));
        if (memmem(p, e - p, "chunked", 7)) chunked = 1;
      } else if (!strncasecmp(p, "expect:", 7))
        expect = 1;
      else if (!strncasecmp(p, "connection: close", 17))
        closeit = 1;
      p = memchr(p, '\n', hl - (p - h));
    }
    if (expect) {
      if (c->rl == hl) {
        put(c, "HTTP/1.1 100 Continue\r\n\r\n", 25);
        flush_(c);
      }
    }
    char *body = c->rb + hl;
    size_t bl;
    size_t total;
    static char *dec;
    static size_t dcap;
    if (chunked) {
      size_t o = hl, dl = 0;
      int done = 0;
      for (;;) {
        char *nl = memchr(c->rb + o, '\n', c->rl - o);
        if (!nl) break;
        long k = strtol(c->rb + o, 0, 16);
        size_t ds = nl - c->rb + 1;
        if (k == 0) {
          if (ds + 2 > c->rl) break;
          o = ds + 2;
          done = 1;
          break;
        }
        if (ds + k + 2 > c->rl) break;
        if (dl + k > dcap) {
          dcap = (dl + k) * 2;
          dec = realloc(dec, dcap);
        }
        memcpy(dec + dl, c->rb + ds, k);
        dl += k;
        o = ds + k + 2;
      }
      if (!done) return 0;
      body = dec;
      bl = dl;
      total = o;
    } else {
      if (c->rl < hl + cl) return 0;
      bl = cl;
      total = hl + cl;
    }
    total_reqs++;
    u64 t = now_ns();
    int isget = !strncmp(c->rb, "GET ", 4);
    char *m = bl ? memmem(body, bl, "mock", 4) : 0;
    int ml = 0;
    if (m) {
      char *e = memchr(m, '"', bl - (m - body));
      ml = e ? e - m : 4;
      if (ml > 120) ml = 120;
      memcpy(c->model, m, ml);
    } else {
      memcpy(c->model, "mock", 4);
      ml = 4;
    }
    c->modell = ml;
    c->model[ml] = 0;
    long n = 64, d = 0, s = 40, b = 1, a = 20;
    c->kind = 'c';
    opt(c->model, ml, "-n", &n);
    opt(c->model, ml, "-d", &d);
    opt(c->model, ml, "-s", &s);
    opt(c->model, ml, "-b", &b);
    opt(c->model, ml, "-a", &a);
    char *kp = memmem(c->model, ml, "-k", 2);
    if (kp) c->kind = kp[2];
    if (a > 1024) a = 1024;
    if (c->kind != 'c') {
      mkdialect(a);
      n = 1L << 40;
    }
    int stream = bl && (memmem(body, bl, "\"stream\":true", 13) || memmem(body, bl, "\"stream\": true", 14));
    char hd[512];
    int hlout;
    if (isget) {
      const char *j = model_list;
      hlout = snprintf(hd, sizeof hd,
                       "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n", strlen(j));
      put(c, hd, hlout);
      put(c, j, strlen(j));
    } else if (stream) {
      hlout = snprintf(hd, sizeof hd,
                       "HTTP/1.1 200 OK\r\nserver: uvicorn\r\ncontent-type: text/event-stream; "
                       "charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n");
      put(c, hd, hlout);
      c->streaming = 1;
      c->n = n;
      c->i = 0;
      c->delay = d * 1000ull;
      c->size = s;
      c->burst = b < 1 ? 1 : b;
      c->akb = a;
      c->tpos = 0;
      c->t_req = t;
      c->due = t;
      if (d) {
        c->due =
            t + (u64)(((double)random() / RAND_MAX) * d * 1000.0);  // random phase, so streams do not beat together
        int r = flush_(c);
        if (r < 0) return -1;
        hpush(c);
      }
      memmove(c->rb, c->rb + total, c->rl - total);
      c->rl -= total;
      if (!d) {
        int r = flush_(c);
        if (r < 0) return -1;
        if (!r) rpush(c);
      }
      c->close_after = closeit;
      return 0;
    } else {
      static char js[1 << 21];
      int jl;
      if (c->kind == 'c')
        jl = snprintf(
            js, sizeof js,
            "{\"id\":\"chatcmpl-6f1f9c3e0b7d4a52\",\"object\":\"chat.completion\",\"created\":1754000000,\"model\":\"%"
            "s\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"reasoning_content\":null,\"content\":"
            "\"I will look at the file first and then change the handler, so that the error is reported "
            "once.\",\"tool_calls\":[{\"id\":\"call_a1b2c3d4e5f6\",\"type\":\"function\",\"function\":{\"name\":\"edit_"
            "file\",\"arguments\":\"{\\\"path\\\": \\\"/src/app/main.ts\\\", \\\"old_string\\\": \\\"%.*s\\\", "
            "\\\"new_string\\\": \\\"%.*s\\\", \\\"replace_all\\\": "
            "false}\"}}]},\"logprobs\":null,\"finish_reason\":\"tool_calls\",\"stop_reason\":null}],\"usage\":{"
            "\"prompt_tokens\":1234,\"total_tokens\":1298,\"completion_tokens\":64,\"prompt_tokens_details\":null},"
            "\"prompt_logprobs\":null}",
            c->model, 150, lorem, 150, lorem + 10);
      else
        jl = snprintf(js, sizeof js,
                      "{\"id\":\"chatcmpl-6f1f9c3e0b7d4a52\",\"object\":\"chat.completion\",\"created\":1754000000,"
                      "\"model\":\"%s\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%"
                      "s\",\"tool_calls\":[]},\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_"
                      "tokens\":1234,\"total_tokens\":1298,\"completion_tokens\":64}}",
                      c->model, dialect[a]);
      hlout = snprintf(
          hd, sizeof hd,
          "HTTP/1.1 200 OK\r\nserver: uvicorn\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n", jl);
      put(c, hd, hlout);
      put(c, js, jl);
    }
    memmove(c->rb, c->rb + total, c->rl - total);
    c->rl -= total;
    int r = flush_(c);
    if (r < 0) return -1;
    if (closeit && !r) return -1;
    if (r) return 0;
  }
  return 0;
}
static void list_model(const char *id) {  // adds a model to what GET /v1/models lists
  size_t at = strlen(model_list) - 2;
  snprintf(
      model_list + at, sizeof model_list - at,
      "%s{\"id\":\"%s\",\"object\":\"model\",\"created\":1754000000,\"owned_by\":\"vllm\",\"max_model_len\":131072}]}",
      at > 30 ? "," : "", id);
}
int main(int ac, char **av) {
  int port = 9100;
  for (int i = 1; i < ac; i++) {
    if (!strcmp(av[i], "-p"))
      port = atoi(av[++i]);
    else if (!strcmp(av[i], "-m"))
      list_model(av[++i]);
  }
  signal(SIGPIPE, SIG_IGN);
  int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(ls, (void *)&a, sizeof a) || listen(ls, 4096)) {
    perror("bind");
    return 1;
  }
  ep = epoll_create1(0);
  struct epoll_event e = {EPOLLIN, {.ptr = 0}};
  epoll_ctl(ep, EPOLL_CTL_ADD, ls, &e);
  fprintf(stderr, "mock on 127.0.0.1:%d\n", port);
  struct epoll_event ev[512];
  for (;;) {
    struct timespec ts, *tp = 0;
    if (rn) {
      ts.tv_sec = ts.tv_nsec = 0;
      tp = &ts;
    } else if (hn) {
      u64 t = now_ns();
      u64 w = heap[0]->due > t ? heap[0]->due - t : 0;
      ts.tv_sec = w / 1000000000;
      ts.tv_nsec = w % 1000000000;
      tp = &ts;
    }
    int n = epoll_pwait2(ep, ev, 512, tp, 0);
    for (int i = 0; i < n; i++) {
      conn *c = ev[i].data.ptr;
      if (!c) {
        for (;;) {
          int fd = accept4(ls, 0, 0, SOCK_NONBLOCK);
          if (fd < 0) break;
          setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          c = calloc(1, sizeof *c);
          c->fd = fd;
          c->heap = -1;
          struct epoll_event x = {EPOLLIN, {.ptr = c}};
          epoll_ctl(ep, EPOLL_CTL_ADD, fd, &x);
        }
        continue;
      }
      int dead = 0;
      if (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        for (;;) {
          if (c->rl + 65536 > c->rc) {
            c->rc = c->rc ? c->rc * 2 : 16384;
            if (c->rc < c->rl + 8192) c->rc = c->rl + 8192;
            c->rb = realloc(c->rb, c->rc);
          }
          ssize_t r = recv(c->fd, c->rb + c->rl, c->rc - c->rl, 0);
          if (r > 0) {
            c->rl += r;
            if (c->rl < c->rc) break;
          } else if (r < 0 && errno == EAGAIN)
            break;
          else {
            dead = 1;
            break;
          }
        }
        if (!dead) dead = process(c) < 0;
      }
      if (!dead && (ev[i].events & EPOLLOUT) && c->wantw) {
        int r = flush_(c);
        if (r < 0)
          dead = 1;
        else if (!r) {
          if (c->streaming && !c->delay)
            rpush(c);
          else if (!c->streaming)
            dead = process(c) < 0;
        }
      }
      if (dead) cclose(c);
    }
    if (hn) {
      u64 t = now_ns();
      int guard = 0;
      while (hn && heap[0]->due <= t && guard++ < 256) {
        conn *c = heap[0];
        hrem(c);
        if (c->wl > c->wo) {
          c->due = t + 1000000;
          hpush(c);
          continue;
        }
        t = now_ns();
        if (step(c, t) < 0) cclose(c);
      }
    }
    if (rn) {
      int k = rn;
      conn **old = ready;
      static conn **spare;
      static int sc;
      if (sc < rcap) {
        sc = rcap;
        spare = realloc(spare, sc * sizeof *spare);
      }
      memcpy(spare, old, k * sizeof *spare);
      rn = 0;
      for (int i = 0; i < k; i++)
        if (spare[i]) spare[i]->ready = 0;
      for (int i = 0; i < k; i++) {
        conn *c = spare[i];
        if (!c) continue;
        int d = 0;
        for (int q = 0; q < 8 && c->streaming && !d; q++) {
          c->ready = 0;
          for (int z = rn - 1; z >= 0 && z >= rn - 1; z--)
            if (ready[z] == c) {
              rn--;
            }
          if (step(c, now_ns()) < 0) d = 1;
          if (c->wantw) break;
        }
        if (d) cclose(c);
      }
    }
  }
}
