import { randomInt } from 'node:crypto';
import type { Lesson } from '@callsmith/data/snapshot';
import { engineConstraints } from '@callsmith/protocols';
import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type AskedPlace, askByApi } from './ask-by-api.ts';
import type { DirectAnswer } from './ask-directly.ts';

/** Whether an engine applies a constraint. */
export interface ConstraintFound {
  /** As in lessons: `strict`, or the name of the request's member. */
  readonly field: string;
  readonly enforced: boolean;
  /** What was asked and what came, in one sentence. */
  readonly evidence: string;
}

/** A request that can only be answered with one word by an engine that applies its constraint. */
interface Canary {
  readonly field: string;
  readonly body: JsonObject;
  /** What holds its answer. */
  readonly members: JsonObject;
  /** The word is an argument of a native call. */
  readonly native?: true;
}

/** Enough for the word; and where the model reasons first, for that as well. */
const FEW_TOKENS = 40;
const MANY_TOKENS = 2000;

/**
 * Asks a model's server for a greeting while it is held to a word that nobody could guess, once for each way in which
 * its kind of engine is held to calls: what counts is the effect, as unknown members of a request are taken with a 200
 * all the same. It is asked by the API that requests go by. What could not be found out, because the server was away or busy, is left out.
 */
export async function findConstraints(
  client: UpstreamClient,
  place: AskedPlace,
  signal: AbortSignal,
): Promise<readonly ConstraintFound[]> {
  const found: ConstraintFound[] = [];
  const { upstream } = place.route;
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
    const ask = (tokens: number) => askByApi(client, place, { body: { ...body, max_tokens: tokens }, members, signal });
    let answer = await ask(FEW_TOKENS);
    if (stillReasons(answer)) answer = await ask(MANY_TOKENS);
    const heeded = judged(canary, word, answer);
    if (heeded !== undefined)
      found.push({ field: canary.field, enforced: heeded, evidence: evidenceOf(canary, word, answer) });
  }
  return found;
}

/** What was found, as a lesson. */
export const constraintLesson = ({
  field,
  enforced: heeded,
  evidence,
}: ConstraintFound): Pick<Lesson, 'what' | 'value' | 'reason'> => ({
  what: `constraint:${field}`,
  value: heeded,
  reason: evidence,
});

const greeting: JsonObject = { messages: [{ role: 'user', content: 'Say hello.' }] };

/**
 * Its schema allows another word than the user asks for. A model that follows the schema against its user's words cannot be
 * distinguished from one that is constrained; requests show it later (D-37).
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

function judged({ native }: Canary, word: string, { status, text }: DirectAnswer): boolean | undefined {
  if (status === undefined || (status >= 400 && !isRefusal(status))) return undefined;
  if (status >= 400) return false;
  const { content, calls } = messageIn(text);
  if (native) return calls.includes(word) ? true : calls === '' ? undefined : false;
  return content === word || content === JSON.stringify(word);
}

/** The request itself was not taken; all else says nothing of it. */
const isRefusal = (status: number): boolean => status === 400 || status === 404 || status === 422;

function evidenceOf({ field, native }: Canary, word: string, { status, text }: DirectAnswer): string {
  const asked = `Held to "${word}" by ${field}`;
  if (status !== 200) return `${asked}, the server answered HTTP ${status}: ${text.slice(0, 200)}`;
  const { content, calls } = messageIn(text);
  return `${asked} and asked for "hello", the model wrote ${(native ? calls : JSON.stringify(content)).slice(0, 200)}.`;
}

/** Its tokens were spent before a word of the answer. */
function stillReasons({ status, text }: DirectAnswer): boolean {
  if (status !== 200) return false;
  const { content, calls, finish } = messageIn(text);
  return finish === 'length' && calls === '' && (content === '' || content.startsWith('<think>'));
}

/** The answer's text without the reasoning before it, and the arguments of its calls. */
function messageIn(text: string): { readonly content: string; readonly calls: string; readonly finish: unknown } {
  const json = parseJson(text);
  const choice = isObject(json) && Array.isArray(json.choices) && isObject(json.choices[0]) ? json.choices[0] : {};
  const message = isObject(choice.message) ? choice.message : {};
  const content = typeof message.content === 'string' ? message.content : '';
  const behind = content.includes('</think>') ? content.slice(content.lastIndexOf('</think>') + 8) : content;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  return {
    content: behind.trim(),
    calls: calls.map((call) => (isObject(call.function) ? String(call.function.arguments) : '')).join(' '),
    finish: choice.finish_reason,
  };
}
