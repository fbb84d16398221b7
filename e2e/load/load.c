// Load generator and measurer: closed loop over keep-alive connections, one thread, epoll. Speaks to 127.0.0.1 only.
// load -P port [-u path] [-c conns] [-n requests in all] [-t max seconds] [-m model] [-s (stream)] [-H 'Header: v']...
// [-b bodyKB | -f bodyfile] [-k key] [-r ramp_ms] [-w warm] Prints one JSON line.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
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
typedef struct {
  float* v;
  size_t n, c;
} vec;
static void vp(vec* v, double x) {
  if (v->n == v->c) {
    v->c = v->c ? v->c * 2 : 65536;
    v->v = realloc(v->v, v->c * sizeof(float));
  }
  v->v[v->n++] = x;
}
static int cmpf(const void* a, const void* b) {
  float x = *(float*)a, y = *(float*)b;
  return x < y ? -1 : x > y;
}
static double pc(vec* v, double p) {
  if (!v->n) return -1;
  size_t i = p * (v->n - 1) + 0.5;
  return v->v[i];
}
typedef struct {
  int fd;
  int state; /*0 idle 1 waiting 2 closed*/
  u64 start_at, sent, last;
  char* hb;
  size_t hl;
  int inbody, chunked;
  long clen;
  int status;
  int cs; /*chunk state*/
  long crem;
  char csz[16];
  int csl;
  char* lb;
  size_t ll, lc;
  int done, first, reqs;
  u64 r_at, tfirst;
  size_t body;
  long chunks;
  int closehdr;
  char* tok;
} conn;
static int port = 9100, C = 1, stream = 0;
static long N = 0, started, finished, errors, okreq;
static double T = 10;
static const char *path = "/v1/chat/completions", *model = "mock";
static char hdrs[8192];
static const char *key = "sk-test", *bodyfile;
static char* req;
static size_t reql;
static int ep;
static vec lat, ttft, chl, gap;
static long chunks_all, events_all, bytes_all;
static long maxst;
static int ramp = 0, warm = 0;
static int errsamples;
static int conn_open(conn* c) {
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  int one = 1;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(c->fd, (void*)&a, sizeof a)) {
    perror("connect");
    return -1;
  }
  struct epoll_event e = {EPOLLIN, {.ptr = c}};
  epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e);
  return 0;
}
static void begin(conn* c) {
  if (N && started >= N) {
    c->state = 2;
    return;
  }
  started++;
  c->state = 1;
  c->hl = 0;
  c->inbody = 0;
  c->chunked = 0;
  c->clen = -1;
  c->cs = 0;
  c->csl = 0;
  c->crem = 0;
  c->ll = 0;
  c->done = 0;
  c->first = 1;
  c->body = 0;
  c->chunks = 0;
  c->closehdr = 0;
  c->r_at = 0;
  c->tfirst = 0;
  c->last = 0;
  c->sent = now_ns();
  size_t o = 0;
  while (o < reql) {
    ssize_t r = send(c->fd, req + o, reql - o, MSG_NOSIGNAL);
    if (r <= 0) {
      errors++;
      break;
    }
    o += r;
  }
}
static long long ts_at(const char* p) {
  long long v = 0;
  for (int i = 0; i < 16; i++) {
    if (p[i] < '0' || p[i] > '9') return -1;
    v = v * 10 + (p[i] - '0');
  }
  return v;
}
static void line(conn* c, char* l, size_t n, u64 now) {
  if (n < 6 || memcmp(l, "data:", 5)) return;
  events_all++;
  if (memmem(l, n < 20 ? n : 20, "[DONE]", 6) || memmem(l, n < 40 ? n : 40, "\"message_stop\"", 14)) {
    c->done = 1;
    return;
  }
  // A proxy may join what came together: every stamp in a line is an event of the upstream's.
  char* p = memmem(l, n, "\"t=", 3);
  if (!p || p + 19 > l + n) {
    if (memmem(l, n, "\"content\"", 9) || memmem(l, n, "tool_calls\"", 11)) c->chunks++, chunks_all++;
    return;
  }
  u64 nw = now % 10000000000000000ull;
  for (char *end = l + n, *at = p + 1; at && at + 18 <= end; at = memmem(at, end - at, "t=", 2)) {
    long long t = ts_at(at + 2);
    at += 2;
    if (t < 0) continue;
    if (at != p + 3) events_all++;
    c->chunks++;
    chunks_all++;
    if (c->first) {
      c->first = 0;
      char* q = memmem(at, end - at, "r=", 2);
      long long r = q ? ts_at(q + 2) : -1;
      if (r >= 0 && c->reqs >= warm)
        vp(&ttft, ((double)((long long)r - (long long)(c->sent % 10000000000000000ull)) + (double)((long long)nw - t)) /
                      1000.0);
    }
    if (c->reqs >= warm) vp(&chl, ((double)((long long)nw - t)) / 1000.0);
  }
}
static void body(conn* c, char* b, size_t n, u64 now) {
  c->body += n;
  bytes_all += n;
  if (!stream) return;
  if (c->ll + n > c->lc) {
    c->lc = (c->ll + n) * 2 + 4096;
    c->lb = realloc(c->lb, c->lc);
  }
  memcpy(c->lb + c->ll, b, n);
  c->ll += n;
  size_t o = 0;
  for (;;) {
    char* nl = memchr(c->lb + o, '\n', c->ll - o);
    if (!nl) break;
    line(c, c->lb + o, nl - (c->lb + o), now);
    o = nl - c->lb + 1;
  }
  if (o) {
    memmove(c->lb, c->lb + o, c->ll - o);
    c->ll -= o;
  }
}
static void finish(conn* c, int ok, u64 now) {
  finished++;
  if (ok && c->status == 200 && (!stream || c->done)) {
    okreq++;
    if (c->reqs >= warm) vp(&lat, (now - c->sent) / 1000.0);
  } else {
    errors++;
  }
  c->reqs++;
  if (!ok || c->closehdr) {
    close(c->fd);
    if (conn_open(c)) {
      c->state = 2;
      return;
    }
  }
  if (N && started >= N) {
    c->state = 2;
    return;
  }
  begin(c);
}
static void feed(conn* c, char* b, size_t n, u64 now) {
  size_t o = 0;
  while (o < n) {
    if (!c->inbody) {
      size_t k = n - o;
      if (c->hl + k > 16000) k = 16000 - c->hl;
      size_t old = c->hl;
      memcpy(c->hb + c->hl, b + o, k);
      c->hl += k;
      char* e = memmem(c->hb, c->hl, "\r\n\r\n", 4);
      if (!e) {
        o += k;
        if (c->hl >= 16000) {
          finish(c, 0, now);
          return;
        }
        continue;
      }
      size_t hlen = e - c->hb + 4;
      o += hlen - old;
      c->inbody = 1;
      c->status = atoi(c->hb + 9);
      if (c->status == 100) {
        c->hl = 0;
        c->inbody = 0;
        continue;
      }
      char* p = c->hb;
      *e = 0;
      while ((p = strchr(p, '\n'))) {
        p++;
        if (!strncasecmp(p, "content-length:", 15))
          c->clen = atol(p + 15);
        else if (!strncasecmp(p, "transfer-encoding: chunked", 26))
          c->chunked = 1;
        else if (!strncasecmp(p, "connection: close", 17))
          c->closehdr = 1;
      }
      if (c->status != 200 && errsamples < 1) {
        errsamples++;
        fprintf(stderr, "status %d: %s\n%.*s\n", c->status, c->hb, (int)(n - o > 600 ? 600 : n - o), b + o);
      }
      if (!c->chunked && c->clen == 0) {
        finish(c, 1, now);
        return;
      }
      continue;
    }
    if (c->chunked) {
      if (c->cs == 0) {
        char ch = b[o++];
        if (ch == '\n') {
          c->csz[c->csl] = 0;
          c->crem = strtol(c->csz, 0, 16);
          c->csl = 0;
          c->cs = c->crem ? 1 : 3;
        } else if (c->csl < 15 && ch != '\r')
          c->csz[c->csl++] = ch;
      } else if (c->cs == 1) {
        size_t k = n - o;
        if ((long)k > c->crem) k = c->crem;
        body(c, b + o, k, now);
        o += k;
        c->crem -= k;
        if (!c->crem) c->cs = 2;
      } else if (c->cs == 2) {
        if (b[o++] == '\n') c->cs = 0;
      } else {
        if (b[o++] == '\n') {
          finish(c, 1, now);
          return;
        }
      }
    } else {
      size_t k = n - o;
      if (c->clen >= 0 && c->body + k > (size_t)c->clen) k = c->clen - c->body;
      body(c, b + o, k, now);
      o += k;
      if (c->clen >= 0 && c->body >= (size_t)c->clen) {
        finish(c, 1, now);
        return;
      }
    }
  }
}
int main(int ac, char** av) {
  int bodykb = 2;
  for (int i = 1; i < ac; i++) {
    char* a = av[i];
    if (!strcmp(a, "-P"))
      port = atoi(av[++i]);
    else if (!strcmp(a, "-u"))
      path = av[++i];
    else if (!strcmp(a, "-c"))
      C = atoi(av[++i]);
    else if (!strcmp(a, "-n"))
      N = atol(av[++i]);
    else if (!strcmp(a, "-t"))
      T = atof(av[++i]);
    else if (!strcmp(a, "-m"))
      model = av[++i];
    else if (!strcmp(a, "-s"))
      stream = 1;
    else if (!strcmp(a, "-b"))
      bodykb = atoi(av[++i]);
    else if (!strcmp(a, "-k"))
      key = av[++i];
    else if (!strcmp(a, "-f"))
      bodyfile = av[++i];
    else if (!strcmp(a, "-r"))
      ramp = atoi(av[++i]);
    else if (!strcmp(a, "-w"))
      warm = atoi(av[++i]);
    else if (!strcmp(a, "-H")) {
      strcat(hdrs, av[++i]);
      strcat(hdrs, "\r\n");
    }
  }
  signal(SIGPIPE, SIG_IGN);
  size_t cap = bodykb * 1024 + 4096;
  char* bd = malloc(cap);
  size_t l =
      sprintf(bd,
              "{\"model\":\"%s\",\"stream\":%s,\"temperature\":0.2,\"max_tokens\":1024,\"messages\":[{\"role\":"
              "\"system\",\"content\":\"You are a coding agent. Use the tools.\"},{\"role\":\"user\",\"content\":\"",
              model, stream ? "true" : "false");
  const char* tools =
      "\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"edit_file\",\"description\":\"Edit a file in "
      "place\",\"parameters\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"old_string\":{"
      "\"type\":\"string\"},\"new_string\":{\"type\":\"string\"},\"replace_all\":{\"type\":\"boolean\"}},\"required\":["
      "\"path\",\"old_string\",\"new_string\"],\"additionalProperties\":false}}}],\"tool_choice\":\"auto\"}";
  while (l < (size_t)bodykb * 1024 - strlen(tools) - 20 && bodykb) l += sprintf(bd + l, "please change the handler ");
  l += sprintf(bd + l, "%s", tools);
  if (bodyfile) {
    FILE* f = fopen(bodyfile, "rb");
    if (!f) {
      perror(bodyfile);
      return 1;
    }
    fseek(f, 0, SEEK_END);
    l = ftell(f);
    rewind(f);
    bd = realloc(bd, l + 1);
    if (fread(bd, 1, l, f) != l) {
      perror(bodyfile);
      return 1;
    }
    fclose(f);
  }
  req = malloc(l + 12000);
  reql = sprintf(req,
                 "POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\naccept: "
                 "*/*\r\nauthorization: Bearer %s\r\n%scontent-length: %zu\r\n\r\n",
                 path, port, key, hdrs, l);
  memcpy(req + reql, bd, l);
  reql += l;
  ep = epoll_create1(0);
  conn* cs = calloc(C, sizeof *cs);
  for (int i = 0; i < C; i++) {
    cs[i].hb = malloc(16384);
    if (conn_open(cs + i)) return 1;
  }
  u64 t0 = now_ns();
  for (int i = 0; i < C; i++) cs[i].start_at = t0 + (ramp ? (u64)i * ramp * 1000000ull / C : 0);
  int next = 0;
  struct epoll_event ev[512];
  static char buf[262144];
  double el = 0;
  for (;;) {
    u64 t = now_ns();
    el = (t - t0) / 1e9;
    if (el > T) break;
    while (next < C && cs[next].start_at <= t) {
      begin(cs + next);
      next++;
    }
    if (N && finished >= N) break;
    struct timespec ts = {0, next < C ? 500000 : 100000000};
    int n = epoll_pwait2(ep, ev, 512, &ts, 0);
    for (int i = 0; i < n; i++) {
      conn* c = ev[i].data.ptr;
      ssize_t r = recv(c->fd, buf, sizeof buf, MSG_DONTWAIT);
      u64 now = now_ns();
      if (r > 0) {
        if (c->state == 1) feed(c, buf, r, now);
      } else if (r == 0 || (r < 0 && errno != EAGAIN)) {
        if (c->state == 1) {
          int ok = c->inbody && !c->chunked && c->clen < 0;
          finish(c, ok, now);
          if (ok) {
          }
        } else {
          epoll_ctl(ep, EPOLL_CTL_DEL, c->fd, 0);
        }
      }
    }
  }
  qsort(lat.v, lat.n, 4, cmpf);
  qsort(ttft.v, ttft.n, 4, cmpf);
  qsort(chl.v, chl.n, 4, cmpf);
  printf(
      "{\"secs\":%.3f,\"ok\":%ld,\"errors\":%ld,\"rps\":%.1f,\"lat_p50\":%.1f,\"lat_p90\":%.1f,\"lat_p99\":%.1f,"
      "\"chunks\":%ld,\"events\":%ld,\"chunks_s\":%.0f,\"ttft_p50\":%.1f,\"ttft_p99\":%.1f,\"ch_p50\":%.1f,\"ch_p90\":%"
      ".1f,\"ch_p99\":%.1f,\"ch_p999\":%.1f,\"bytes\":%ld}\n",
      el, okreq, errors, okreq / el, pc(&lat, .5), pc(&lat, .9), pc(&lat, .99), chunks_all, events_all, chunks_all / el,
      pc(&ttft, .5), pc(&ttft, .99), pc(&chl, .5), pc(&chl, .9), pc(&chl, .99), pc(&chl, .999), bytes_all);
  return 0;
}
