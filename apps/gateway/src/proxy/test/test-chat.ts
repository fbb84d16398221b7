import { type Behavior, call, chunk, done, json, role, stream, type TestUpstream, text } from './test-upstream.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export type Body = Record<string, any>;

/** A call that a simulated model makes: its tool's name, and its arguments as an object or as the text itself. */
export type ModelCall = readonly [name: string, args: object | string];

/** What a simulated model replies. */
export interface ModelReply {
  /** The text, in the pieces in which a stream sends it. */
  readonly text?: readonly string[];
  readonly reasoning?: string;
  /** Native calls, in the API's own fields. */
  readonly calls?: readonly ModelCall[];
  /** By default `tool_calls` if there are calls, else `stop`. */
  readonly finish?: string;
  /** Replaces members of `defaultUsage`. */
  readonly usage?: object;
}

/** The usage that a simulated model reports. */
export const defaultUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Answers a chat completion with `reply`: as a stream if the request asks for one, else as a whole. */
export const replying =
  ({ text: pieces = [], reasoning = '', calls = [], finish, usage: more = {} }: ModelReply): Behavior =>
  (response, received) => {
    const finish_reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
    const usage = { ...defaultUsage, ...more };
    const made = calls.map(([name, args]) => ({ name, json: typeof args === 'string' ? args : JSON.stringify(args) }));
    if (received.body.stream)
      return stream(
        role,
        ...(reasoning === '' ? [] : [chunk({ reasoning_content: reasoning })]),
        ...pieces.filter((piece) => piece !== '').map(text),
        ...made.map(({ name, json: args }, at) => call(at, name, args)),
        chunk({}, finish_reason),
        `data: ${JSON.stringify({ choices: [], usage })}\n\n`,
        done,
      )(response, received);
    const tool_calls = made.map(({ name, json: args }, at) => ({
      id: `c${at}`,
      type: 'function',
      function: { name, arguments: args },
    }));
    const message = {
      role: 'assistant',
      content: pieces.join(''),
      ...(reasoning && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls }),
    };
    return json(200, { usage, choices: [{ index: 0, message, finish_reason }] })(response, received);
  };

/** The bodies of the chat completions that an upstream received, in their order. */
export const chatBodies = (upstream: Pick<TestUpstream, 'received'>): Body[] =>
  upstream.received.filter(({ url }) => url.endsWith('/chat/completions')).map(({ body }) => body);

/** A call in a response, its arguments joined. */
export interface AnsweredCall {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A chat completion, in one form for streams and whole responses. */
export interface ChatAnswer {
  /** How many response ids it carries. */
  readonly ids: number;
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly AnsweredCall[];
  readonly finish_reason: string | undefined;
  readonly usage: Body | undefined;
  readonly error?: Body;
  /** Of a stream: what each delta carries, in their order. */
  readonly deltaKinds: readonly ('text' | 'call')[];
  /** Whether it ended as its form requires: a stream with `[DONE]`. */
  readonly ended: boolean;
}

/** Reads a chat completion of the gateway, a stream or a whole one. */
export async function chatAnswer(response: Response): Promise<ChatAnswer> {
  const body = await response.text();
  return body.includes('data: ') ? streamedAnswer(body) : wholeAnswer(JSON.parse(body));
}

function wholeAnswer({ choices = [], usage, error }: Body): ChatAnswer {
  const [{ message = {}, finish_reason } = {} as Body] = choices as Body[];
  return {
    ids: 1,
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: message.tool_calls ?? [],
    finish_reason,
    usage,
    ...(error && { error }),
    deltaKinds: [],
    ended: true,
  };
}

function streamedAnswer(sse: string): ChatAnswer {
  const events = sse
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Body);
  const choices = events.flatMap((event) => ((event.choices ?? []) as Body[]).slice(0, 1));
  const joined = (member: string): string => choices.map(({ delta }) => delta[member] ?? '').join('');
  const error = events.find((event) => event.error)?.error;
  return {
    ids: new Set(events.flatMap(({ id }) => (id === undefined ? [] : [id]))).size,
    content: joined('content'),
    reasoning: joined('reasoning_content'),
    calls: joinedCalls(choices.flatMap(({ delta }) => delta.tool_calls ?? [])),
    finish_reason: choices.findLast((choice) => choice.finish_reason)?.finish_reason,
    usage: events.findLast((event) => event.usage)?.usage,
    ...(error && { error }),
    deltaKinds: choices.flatMap(({ delta }) => (delta.tool_calls ? ['call'] : delta.content ? ['text'] : [])),
    ended: sse.endsWith('data: [DONE]\n\n'),
  };
}

function joinedCalls(deltas: readonly Body[]): AnsweredCall[] {
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const { index, id, type, function: made } of deltas) {
    const one = (calls[index] ??= { id, type, function: { name: made.name, arguments: '' } });
    one.function.arguments += made.arguments ?? '';
  }
  return calls;
}
