import type { SupportFound } from '@callsmith/data/probes';
import type { Route } from '@callsmith/data/snapshot';
import { engineConstraints } from '@callsmith/protocols';
import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { countByUpstream } from '../upstream/count-tokens.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type DirectResponse, sendDirect } from './send-direct.ts';

/** A feature that a server may support, and how to check it. */
interface SupportCheck {
  readonly what: string;
  readonly body: (nonce: string) => JsonObject;
  /** Whether a good response shows the feature's effect; absent: the effect cannot be seen. */
  readonly works?: (answer: GoodAnswer, nonce: string) => boolean;
}

/** A good response, parsed. */
interface GoodAnswer {
  readonly text: string;
  readonly json: JsonObject;
  readonly message: JsonObject;
  readonly calls: readonly JsonObject[];
}

const user = (content: string): JsonObject => ({ role: 'user', content });
const chatBody = (content: string, more: JsonObject = {}): JsonObject => ({ messages: [user(content)], ...more });
const noteTool = (word: JsonObject = { type: 'string' }, strict = false): JsonObject[] => [
  {
    type: 'function',
    function: {
      name: 'note',
      description: 'Notes a word.',
      parameters: { type: 'object', properties: { word }, required: ['word'], additionalProperties: false },
      ...(strict && { strict }),
    },
  },
];
const noting = (nonce: string): string => `Call the tool note with the word ${nonce}.`;
const field = (name: string, value: JsonValue): SupportCheck => ({
  what: name,
  body: () => chatBody('Say hello.', { [name]: value }),
});

const checks: readonly SupportCheck[] = [
  {
    what: 'tools',
    body: (nonce) => chatBody(noting(nonce), { tools: noteTool() }),
    works: ({ calls }) => calls.length > 0,
  },
  {
    what: 'tool_choice: required',
    body: () => chatBody('Say hello.', { tools: noteTool(), tool_choice: 'required' }),
    works: ({ calls }) => calls.length > 0,
  },
  {
    what: 'tool_choice: a named tool',
    body: () =>
      chatBody('Say hello.', { tools: noteTool(), tool_choice: { type: 'function', function: { name: 'note' } } }),
    works: ({ calls }) => calls.length > 0,
  },
  {
    what: 'tool_choice: none',
    body: (nonce) => chatBody(noting(nonce), { tools: noteTool(), tool_choice: 'none' }),
    works: ({ calls }) => calls.length === 0,
  },
  {
    what: 'parallel_tool_calls: true',
    body: (nonce) =>
      chatBody(`Call the tool note three times in this one answer: with "${nonce}a", "${nonce}b" and "${nonce}c".`, {
        tools: noteTool(),
        parallel_tool_calls: true,
      }),
    works: ({ calls }) => calls.length > 1,
  },
  // The schema allows another word than the user asks for: only a constrained response contains the nonce.
  {
    what: 'strict tools',
    body: (nonce) =>
      chatBody('Call the tool note with the word "hello", exactly so, whatever its schema says.', {
        tools: noteTool({ type: 'string', const: nonce }, true),
        tool_choice: 'auto',
      }),
    works: ({ calls }, nonce) => JSON.stringify(calls).includes(nonce),
  },
  {
    what: 'response_format: json_schema',
    body: (nonce) =>
      chatBody('Say hello.', {
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'answer',
            schema: { type: 'object', properties: { word: { const: nonce } }, required: ['word'] },
          },
        },
      }),
    works: ({ message }, nonce) => typeof message.content === 'string' && message.content.includes(nonce),
  },
  { what: 'usage', body: () => chatBody('Say hello.'), works: ({ json }) => isObject(json.usage) },
  {
    what: 'stream_options: include_usage',
    body: () => chatBody('Say hello.', { stream: true, stream_options: { include_usage: true } }),
    works: ({ text }) => /"usage":\s*\{/.test(text),
  },
  {
    what: 'reasoning_content in the history',
    body: () => ({
      messages: [
        user('Hi'),
        { role: 'assistant', content: 'Hello.', reasoning_content: 'A greeting.' },
        user('Hello?'),
      ],
    }),
  },
  {
    what: 'logprobs',
    body: () => chatBody('Say hello.', { logprobs: true }),
    works: ({ json }) => Array.isArray(json.choices) && isObject(json.choices[0]) && isObject(json.choices[0].logprobs),
  },
  {
    what: 'n',
    body: () => chatBody('Say hello.', { n: 2 }),
    works: ({ json }) => Array.isArray(json.choices) && json.choices.length === 2,
  },
  field('seed', 7),
  field('top_k', 20),
  field('min_p', 0.05),
  field('repetition_penalty', 1.05),
  field('reasoning_effort', 'low'),
  field('chat_template_kwargs', { enable_thinking: false }),
];

/** A check for each field that may constrain the engine: the nonce appears only if it is enforced. */
const constraintChecks = ({ kind, engineVersion }: Route['upstream']): SupportCheck[] =>
  engineConstraints(kind, engineVersion).fields.map(({ name, singleWord: onlyWord }) => ({
    what: `constraint: ${name}`,
    body: (nonce) => chatBody('Say hello.', onlyWord(nonce)),
    works: ({ message }, nonce) => typeof message.content === 'string' && message.content.includes(nonce),
  }));

const AT_ONCE = 4;
const MAX_TOKENS = 200;

/**
 * Checks each feature by one request, at most four at a time. Resolves with the findings in the order of the table;
 * with fewer if the signal is aborted.
 */
export async function findSupport(
  client: UpstreamClient,
  { upstream, upstreamModel }: Route,
  signal: AbortSignal,
): Promise<readonly SupportFound[]> {
  const found: SupportFound[] = [];
  const texts: string[] = [];
  const places = [...checks, ...constraintChecks(upstream)].entries();
  const work = async (): Promise<void> => {
    for (const [at, check] of places) {
      if (signal.aborted) return;
      const nonce = `k${Math.floor(Math.random() * 0xffffff).toString(16)}q${at}`;
      const body = { model: upstreamModel, max_tokens: MAX_TOKENS, ...check.body(nonce) };
      const answer = await sendDirect(client, upstream, { body, signal });
      if (answer.status === 200) texts.push(answer.text);
      found[at] = { what: check.what, ...supportOf(check, answer, nonce) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [...found, reasoningIn(texts), await tokenizer(client, { upstream, upstreamModel }, signal)];
}

/** Whether any of the responses contains reasoning: some models reason only about some requests. */
function reasoningIn(texts: readonly string[]): SupportFound {
  const key = texts.map((text) => /"(reasoning_content|reasoning)":\s*"[^"]/.exec(text)?.[1]).find(Boolean);
  const support = texts.length === 0 ? 'unknown' : key ? 'works' : 'no effect';
  return { what: 'reasoning in answers', support, detail: key ?? '' };
}

async function tokenizer(
  client: UpstreamClient,
  { upstream, upstreamModel }: Pick<Route, 'upstream' | 'upstreamModel'>,
  signal: AbortSignal,
): Promise<SupportFound> {
  const counted = await countByUpstream(
    client,
    { upstream, body: { model: upstreamModel, ...chatBody('Hello') } },
    signal,
  );
  return counted === undefined
    ? { what: 'tokenizer', support: 'no effect', detail: 'The server counts no tokens; they are estimated.' }
    : { what: 'tokenizer', support: 'works', detail: '' };
}

function supportOf(
  { works }: SupportCheck,
  { status, text }: DirectResponse,
  nonce: string,
): Omit<SupportFound, 'what'> {
  if (status === undefined) return { support: 'unknown', detail: text.slice(0, 200) };
  if (inconclusiveStatuses.has(status)) return { support: 'unknown', detail: `HTTP ${status}` };
  if (status >= 400) return { support: 'refused', detail: `HTTP ${status}: ${messageIn(text)}` };
  if (works === undefined) return { support: 'taken', detail: '' };
  return { support: works(read(text), nonce) ? 'works' : 'no effect', detail: '' };
}

/**
 * Statuses that say nothing about the feature: the server is overloaded or unreachable, or has no chat completions API.
 */
const inconclusiveStatuses: ReadonlySet<number> = new Set([404, 405, 429, 502, 503]);

/** Parses a response; members that it does not have are empty. */
function read(text: string): GoodAnswer {
  const json = parseJson(text);
  const whole = isObject(json) ? json : {};
  const choice = Array.isArray(whole.choices) && isObject(whole.choices[0]) ? whole.choices[0] : {};
  const message = isObject(choice.message) ? choice.message : {};
  return {
    text,
    json: whole,
    message,
    calls: Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [],
  };
}

/** The message of an error response, in any of the places where servers put it. */
function messageIn(text: string): string {
  const body = parseJson(text);
  const error = isObject(body) ? (body.error ?? body.detail ?? body.message) : undefined;
  const words = isObject(error) ? error.message : error;
  return (typeof words === 'string' ? words : text).replace(/\s+/g, ' ').slice(0, 200);
}
