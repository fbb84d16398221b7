import {
  type Content,
  type Finding,
  isObject,
  type JsonValue,
  type Message,
  type PastCall,
  parseJson,
  textOf,
} from '@callsmith/turn';

/**
 * How a conversation goes in circles at its end.
 *
 * - `calls`: these tools are called, one after the other, with the same or nearly the same arguments and results.
 * - `no-call`: the client says each time that no tool was used, and the model answers in words.
 */
export type CallLoop =
  | { readonly kind: 'calls'; readonly tools: readonly string[]; readonly times: number }
  | { readonly kind: 'no-call'; readonly times: number };

/** What is recorded of it. */
export const findingOf = (loop: CallLoop): Finding => ({
  class: 'CallLoop',
  stage: 'request',
  detail:
    loop.kind === 'no-call'
      ? `the client asked for a tool ${loop.times} times in a row`
      : `${loop.tools.join(', ')} ${loop.times} times in a row`,
});

/** A call and what came of it. */
interface Made {
  readonly call: PastCall;
  readonly result: Content;
}

/** A model that goes round in more calls than these is not found. */
const longestRound = 4;
/** So often a round is a loop, and so often a client asks for a tool. */
const fewestRounds = 3;
const fewestAsked = 2;
/** Rounds are counted up to here. */
const mostTimes = 20;
/** Longer texts are the same only if they are equal. */
const longestCompared = 16 * 1024;

/** Whether a conversation goes in circles at its end; undefined: it does not. Only its last messages are looked at. */
export function callLoop(messages: readonly Message[]): CallLoop | undefined {
  const asked = timesAsked(messages);
  if (asked >= fewestAsked) return { kind: 'no-call', times: asked };
  const made = lastCalls(messages, longestRound * mostTimes);
  for (let round = 1; round <= longestRound; round++) {
    const times = timesRound(made, round);
    if (times < fewestRounds) continue;
    const tools = made.slice(0, round).map(({ call }) => call.name);
    return { kind: 'calls', tools: tools.reverse(), times };
  }
  return undefined;
}

/** How often the newest calls are a round of so many. `made` begins with the newest. */
function timesRound(made: readonly Made[], round: number): number {
  let same = round;
  while (same < made.length && isSame(made[same] as Made, made[same - round] as Made)) same++;
  return Math.floor(same / round);
}

/** The calls at a conversation's end that have results, the newest first, up to what a user said last. */
function lastCalls(messages: readonly Message[], most: number): Made[] {
  const made: Made[] = [];
  const results = new Map<string, Content>();
  for (let at = messages.length - 1; at >= 0 && made.length < most; at--) {
    const message = messages[at] as Message;
    if (message.role === 'tool') results.set(message.callId, message.content);
    else if (message.role === 'assistant')
      for (const call of message.calls.toReversed()) {
        const result = results.get(call.id);
        if (result === undefined) return made;
        results.delete(call.id);
        made.push({ call, result });
      }
    else if (message.role === 'user') return made;
  }
  return made;
}

const isSame = (a: Made, b: Made): boolean =>
  a.call.name === b.call.name &&
  isNearSame(a.call.arguments, b.call.arguments, ofArguments) &&
  isNearSame(textOf(a.result), textOf(b.result), ofResult);

function isNearSame(a: string, b: string, essence: (text: string) => string): boolean {
  if (a === b) return true;
  return a.length <= longestCompared && b.length <= longestCompared && essence(a) === essence(b);
}

/** What is left of arguments without the order of their keys, empty values, case and white space. */
function ofArguments(json: string): string {
  const value = parseJson(json);
  return value === undefined ? plain(json) : JSON.stringify(essence(value, 0) ?? {});
}

/** Deeper values are the same only if they are equal. */
const deepest = 16;

function essence(value: JsonValue, depth: number): JsonValue | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value === 'string') return plain(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || depth === deepest) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one) => essence(one, depth + 1) ?? null);
  if (!isObject(value)) return undefined;
  const members = Object.keys(value)
    .sort()
    .map((key): JsonValue[] => [key, essence(value[key] as JsonValue, depth + 1) ?? null])
    .filter(([, one]) => one !== null);
  return members.length === 0 ? undefined : members;
}

/** What is left of a result without its numbers, as times and counts change from call to call. */
const ofResult = (text: string): string => plain(text).replace(/\d+/g, '0');

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** How often, at the conversation's end, the client said that no tool was used to an answer in words. */
function timesAsked(messages: readonly Message[]): number {
  let times = 0;
  for (let at = messages.length - 1; at > 0 && times < mostTimes; at -= 2) {
    const said = messages[at] as Message;
    const before = messages[at - 1] as Message;
    if (said.role !== 'user' || before.role !== 'assistant' || before.calls.length > 0) break;
    if (!asksForTool.test(textOf(said.content).slice(0, 400))) break;
    times++;
  }
  return times;
}

/** As Cline, Roo Code and their like say it: "[ERROR] You did not use a tool in your previous response!" */
const asksForTool =
  /\b(?:you (?:did not|didn['’]t|have not|haven['’]t) (?:use|used|call|called|invoke|invoked)|without (?:using|calling)) (?:a|any|the|one) tools?\b|\bno tools? (?:was|were|has been|have been) (?:used|called|invoked)\b/i;
