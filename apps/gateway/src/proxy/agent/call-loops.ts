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
 * A loop at the end of a conversation.
 *
 * - `calls`: these tools are called, one after the other, with the same or nearly the same arguments and results.
 * - `no-call`: the client complains each time that no tool was used, and the model responds without a call.
 */
export type CallLoop =
  | { readonly kind: 'calls'; readonly tools: readonly string[]; readonly times: number }
  | { readonly kind: 'no-call'; readonly times: number };

/** The finding that is recorded for a loop. */
export const findingOf = (loop: CallLoop): Finding => ({
  class: 'CallLoop',
  stage: 'request',
  detail:
    loop.kind === 'no-call'
      ? `the client asked for a tool ${loop.times} times in a row`
      : `${loop.tools.join(', ')} ${loop.times} times in a row`,
});

/** A call and its result. */
interface Made {
  readonly call: PastCall;
  readonly result: Content;
}

/** The most calls that may repeat together as one round; longer rounds are not found. */
const longestRound = 4;
/** How often a round must repeat, and how often a client must ask for a tool, to be a loop. */
const fewestRounds = 3;
const fewestRequests = 2;
/** Rounds are counted up to here. */
const mostTimes = 20;
/** Longer texts count as the same only if they are equal. */
const longestCompared = 16 * 1024;

/** Finds a loop at the end of a conversation; undefined: there is none. Looks at its last messages only. */
export function callLoop(messages: readonly Message[]): CallLoop | undefined {
  const requestCount = timesAsked(messages);
  if (requestCount >= fewestRequests) return { kind: 'no-call', times: requestCount };
  const made = lastCalls(messages, longestRound * mostTimes);
  for (let round = 1; round <= longestRound; round++) {
    const times = timesRound(made, round);
    if (times < fewestRounds) continue;
    const tools = made.slice(0, round).map(({ call }) => call.name);
    return { kind: 'calls', tools: tools.reverse(), times };
  }
  return undefined;
}

/** How often the last `round` calls repeat. `made` begins with the newest call. */
function timesRound(made: readonly Made[], round: number): number {
  let same = round;
  while (same < made.length && isSame(made[same] as Made, made[same - round] as Made)) same++;
  return Math.floor(same / round);
}

/** The calls with results after the last user message, the newest first. */
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
  isNearSame(a.call.arguments, b.call.arguments, normalArguments) &&
  isNearSame(textOf(a.result), textOf(b.result), normalResult);

function isNearSame(a: string, b: string, essence: (text: string) => string): boolean {
  if (a === b) return true;
  return a.length <= longestCompared && b.length <= longestCompared && essence(a) === essence(b);
}

/** Normalizes arguments: without the order of keys, empty values, case and white space. */
function normalArguments(json: string): string {
  const value = parseJson(json);
  return value === undefined ? plain(json) : JSON.stringify(essence(value, 0) ?? {});
}

/** Values nested deeper are compared as they are. */
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

/** Normalizes a result: without its numbers, as times and counts change from call to call. */
const normalResult = (text: string): string => plain(text).replace(/\d+/g, '0');

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** How often, at the end of the conversation, the client complained that a response without calls used no tool. */
function timesAsked(messages: readonly Message[]): number {
  let times = 0;
  for (let at = messages.length - 1; at > 0 && times < mostTimes; at -= 2) {
    const message = messages[at] as Message;
    const before = messages[at - 1] as Message;
    if (message.role !== 'user' || before.role !== 'assistant' || before.calls.length > 0) break;
    if (!asksForTool.test(textOf(message.content).slice(0, 400))) break;
    times++;
  }
  return times;
}

/**
 * Matches the complaint of Cline, Roo Code and similar clients: "[ERROR] You did not use a tool in your previous
 * response!"
 */
const asksForTool =
  /\b(?:you (?:did not|didn['’]t|have not|haven['’]t) (?:use|used|call|called|invoke|invoked)|without (?:using|calling)) (?:a|any|the|one) tools?\b|\bno tools? (?:was|were|has been|have been) (?:used|called|invoked)\b/i;
