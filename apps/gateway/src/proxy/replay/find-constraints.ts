import { randomInt } from 'node:crypto';
import type { Lesson } from '@callsmith/data/snapshot';
import { engineConstraints } from '@callsmith/protocols';
import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type ProbedModel, sendChat } from './send-chat.ts';
import type { DirectResponse } from './send-direct.ts';

/** Whether an engine enforces a constraint. */
export interface ConstraintFound {
  /** The constraint's name as in lessons: `strict`, or the member of the request. */
  readonly field: string;
  readonly enforced: boolean;
  /** The request and its result in one sentence. */
  readonly evidence: string;
}

/** A request to which an engine that enforces the constraint can respond with one random word only. */
interface Canary {
  readonly field: string;
  readonly body: JsonObject;
  /** The members that constrain the response. */
  readonly members: JsonObject;
  /** The word is expected as an argument of a native call. */
  readonly native?: true;
}

/** Limits of output tokens: enough for the word, and enough if the model reasons first. */
const FEW_TOKENS = 40;
const MANY_TOKENS = 2000;

/**
 * Finds out which constraints a model's server enforces. For each way to constrain its kind of engine, the model is
 * asked for a greeting while it is constrained to a random word. Only the output tells, as servers accept unknown
 * members with status 200. Constraints that could not be checked, because the server failed or was busy, are left out.
 */
export async function findConstraints(
  client: UpstreamClient,
  probed: ProbedModel,
  signal: AbortSignal,
): Promise<readonly ConstraintFound[]> {
  const found: ConstraintFound[] = [];
  const { upstream } = probed.route;
  const { native, fields } = engineConstraints(upstream.kind, upstream.engineVersion);
  const makers = [
    ...(native === 'strict' || native === 'strict-closed' ? [strictCanary] : []),
    ...fields.map(
      ({ name, singleWord }) =>
        (word: string): Canary => ({ field: name, body: greeting, members: singleWord(word) }),
    ),
  ];
  for (const make of makers) {
    const word = `k${randomInt(0x10000000, 0xffffffff).toString(16)}`;
    const canary = make(word);
    const { body, members } = canary;
    const send = (tokens: number) =>
      sendChat(client, probed, { body: { ...body, max_tokens: tokens }, members, signal });
    let answer = await send(FEW_TOKENS);
    if (stillReasons(answer)) answer = await send(MANY_TOKENS);
    const enforced = isEnforced(canary, word, answer);
    if (enforced !== undefined)
      found.push({ field: canary.field, enforced, evidence: evidenceOf(canary, word, answer) });
  }
  return found;
}

/** Turns a finding into the members of a lesson. */
export const constraintLesson = ({
  field,
  enforced,
  evidence,
}: ConstraintFound): Pick<Lesson, 'what' | 'value' | 'reason'> => ({
  what: `constraint:${field}`,
  value: enforced,
  reason: evidence,
});

const greeting: JsonObject = { messages: [{ role: 'user', content: 'Say hello.' }] };

/**
 * The schema allows another word than the user asks for. A model that follows the schema by itself looks like a
 * constrained one; later requests show the difference (D-37).
 */
const strictCanary = (word: string): Canary => ({
  field: 'strict',
  native: true,
  members: {},
  body: {
    messages: [{ role: 'user', content: 'Call the tool say with the word "hello", whatever its schema says.' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'say',
          description: 'Says a word.',
          parameters: {
            type: 'object',
            properties: { word: { type: 'string', const: word } },
            required: ['word'],
            additionalProperties: false,
          },
          strict: true,
        },
      },
    ],
  },
});

/** Whether a response shows that the constraint was enforced; undefined if it shows neither. */
function isEnforced({ native }: Canary, word: string, { status, text }: DirectResponse): boolean | undefined {
  if (status === undefined || (status >= 400 && !isRefusal(status))) return undefined;
  if (status >= 400) return false;
  const { content, calls } = messageIn(text);
  if (native) return calls.includes(word) ? true : calls === '' ? undefined : false;
  return content === word || content === JSON.stringify(word);
}

/** True for a status by which a server refuses the request itself; other errors say nothing about the constraint. */
const isRefusal = (status: number): boolean => status === 400 || status === 404 || status === 422;

function evidenceOf({ field, native }: Canary, word: string, { status, text }: DirectResponse): string {
  const request = `Held to "${word}" by ${field}`;
  if (status !== 200) return `${request}, the server answered HTTP ${status}: ${text.slice(0, 200)}`;
  const { content, calls } = messageIn(text);
  return `${request} and asked for "hello", the model wrote ${(native ? calls : JSON.stringify(content)).slice(0, 200)}.`;
}

/** True if all tokens were used for reasoning, so that there is no answer yet. */
function stillReasons({ status, text }: DirectResponse): boolean {
  if (status !== 200) return false;
  const { content, calls, finish } = messageIn(text);
  return finish === 'length' && calls === '' && (content === '' || content.startsWith('<think>'));
}

/** The text of a chat completion without reasoning, the arguments of its calls, and its finish reason. */
function messageIn(text: string): { readonly content: string; readonly calls: string; readonly finish: unknown } {
  const json = parseJson(text);
  const choice = isObject(json) && Array.isArray(json.choices) && isObject(json.choices[0]) ? json.choices[0] : {};
  const message = isObject(choice.message) ? choice.message : {};
  const content = typeof message.content === 'string' ? message.content : '';
  const answer = content.includes('</think>') ? content.slice(content.lastIndexOf('</think>') + 8) : content;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  return {
    content: answer.trim(),
    calls: calls.map((call) => (isObject(call.function) ? String(call.function.arguments) : '')).join(' '),
    finish: choice.finish_reason,
  };
}
