import { type Content, type Message, type Part, plainContent, textOf } from '@callsmith/turn';

/** What Cline's classic core writes in place of a tool's result; the result is in the next user message. */
const missing = 'result missing';

/** Characters of user messages that are searched for results; such a core limits files to a fraction of this. */
const mostSearched = 4 * 1024 * 1024;

const heading = /^\[([^\s\]]{1,256})(?: for [^\n]*)?\] Result:[ \t]*\n?/;

/**
 * Moves Cline's results where they belong: a tool message with the text "result missing" gets the text that follows
 * `[name for '…'] Result:` in the next user message, where it is removed. Results are assigned in the order of the
 * calls, and `nameOf` gets ascending indices. `at`: the former indices of the remaining messages.
 */
export function joinClineResults(
  messages: readonly Message[],
  nameOf: (callId: string, at: number) => string | undefined,
): { messages: readonly Message[]; joined: number; at?: readonly number[] } {
  if (!messages.some(isMissing)) return { messages, joined: 0 };
  const out = [...messages];
  let joined = 0;
  let searched = 0;
  for (let at = 0; at < out.length; at += 1) {
    const user = out[at];
    if (user?.role !== 'user') continue;
    const waiting = waitingBefore(out, at);
    if (waiting.length === 0) continue;
    searched += textOf(user.content).length;
    if (searched > mostSearched) break;
    const segments = cut(user.content);
    const results = new Results(segments);
    for (const index of waiting) {
      const tool = out[index] as Extract<Message, { role: 'tool' }>;
      const name = nameOf(tool.callId, index);
      const result = results.take(name);
      if (!result) continue;
      result.used = true;
      joined += 1;
      out[index] = { ...tool, content: result.text };
    }
    out[at] = { ...user, content: rest(user.content, segments) };
  }
  const kept = out.flatMap((message, at) =>
    message === messages[at] || message.role !== 'user' || !isEmpty(message.content) ? [at] : [],
  );
  return { messages: kept.map((at) => out[at] as Message), joined, at: kept };
}

/** The results of a user message, each taken once and in order: by name or, if that is unknown, the next one. */
class Results {
  private readonly all: Segment[];
  private readonly byName = new Map<string, Segment[]>();

  constructor(segments: readonly Segment[]) {
    this.all = segments.filter(({ result }) => result).reverse();
    for (const one of this.all) {
      const same = this.byName.get(one.name);
      if (same) same.push(one);
      else this.byName.set(one.name, [one]);
    }
  }

  take(name: string | undefined): Segment | undefined {
    const from = name === undefined ? this.all : (this.byName.get(name) ?? []);
    let next = from.pop();
    while (next?.used) next = from.pop();
    return next;
  }
}

const isMissing = (message: Message): boolean => message.role === 'tool' && plainContent(message.content) === missing;

/** Indices of the tool messages directly before `at` that lack their result. */
function waitingBefore(messages: readonly Message[], at: number): number[] {
  const waiting: number[] = [];
  for (let before = at - 1; messages[before]?.role === 'tool'; before -= 1) {
    if (isMissing(messages[before] as Message)) waiting.unshift(before);
  }
  return waiting;
}

/** A piece of a user message: a result under its heading, or anything else. */
interface Segment {
  readonly name: string;
  readonly result: boolean;
  readonly text: string;
  /** The lines or parts that it consists of, as the client sent them. */
  readonly source: readonly (string | Part)[];
  used: boolean;
}

function cut(content: Content): Segment[] {
  if (content === null) return [];
  const segments: Segment[] = [];
  let open: { name: string; body: string[]; source: (string | Part)[] } | undefined;
  const close = (): void => {
    if (open) {
      const { name, body, source } = open;
      segments.push({ name, result: true, text: body.join('\n').replace(/\n+$/, ''), source, used: false });
    }
    open = undefined;
  };
  for (const piece of typeof content === 'string' ? content.split('\n') : content) {
    const text = typeof piece === 'string' ? piece : piece.text;
    const head = typeof text === 'string' ? heading.exec(text) : null;
    if (typeof text === 'string' && head) {
      close();
      const body = text.slice(head[0].length);
      open = { name: head[1] as string, body: body === '' ? [] : [body], source: [piece] };
      // A heading alone in its part has its text in the next one; a part with both is complete.
      if (typeof content !== 'string' && body !== '') close();
    } else if (typeof text === 'string' && open && !text.startsWith('<environment_details>')) {
      open.body.push(text);
      open.source.push(piece);
      if (typeof content !== 'string') close();
    } else {
      close();
      segments.push({ name: '', result: false, text: '', source: [piece], used: false });
    }
  }
  close();
  return segments;
}

/** The content without the results that were used; the rest is as the client sent it. */
function rest(content: Content, segments: readonly Segment[]): Content {
  if (!segments.some((segment) => segment.used)) return content;
  const kept = segments.filter((segment) => !segment.used).flatMap(({ source }) => source);
  return typeof content === 'string' ? kept.join('\n').trim() : (kept as Part[]);
}

const isEmpty = (content: Content): boolean => content === null || content.length === 0;
