import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { lines } from './lines.ts';
import { messagesOf, replyOf, textReply, toolsOf } from './message.ts';
import type { AcceptedCall, Expected, ReadRecordings } from './recording.ts';

/**
 * Reads JSON lines of `{id?, group?, tools, messages?, text | message, finish_reason?, expected_calls? | accepted?}`:
 * the input of `npm run parse`, or an assistant's message (which takes precedence), and, if known, the expected answer.
 * `expected_calls` lists calls whose arguments must be equal as JSON (none: no call is right), `accepted` calls in
 * BFCL's form, each `{name: {parameter: [values]}}`. Tools in a line without a text apply to the following lines.
 */
export function readJsonLines(text: string, group: string): ReadRecordings {
  let common: JsonValue | undefined;
  return lines(text, (line, at) => {
    const reply = replyOf(line.message) ?? (typeof line.text === 'string' ? textReply(line.text) : undefined);
    if (reply === undefined) {
      common = line.tools ?? common;
      return 'no text and no message';
    }
    const expects = expectedOf(line);
    return {
      id: String(line.id ?? `${group}:${at}`),
      group: typeof line.group === 'string' ? line.group : group,
      messages: messagesOf(line.messages),
      tools: toolsOf(line.tools ?? common),
      reply,
      cut: line.finish_reason === 'length',
      ...(expects && { expects }),
    };
  });
}

function expectedOf({ expected_calls: exact, accepted }: JsonObject): Expected | undefined {
  const expectedCalls = Array.isArray(accepted) ? accepted : exact;
  if (!Array.isArray(expectedCalls)) return undefined;
  if (expectedCalls.length === 0) return { kind: 'none' };
  if (expectedCalls === accepted)
    return {
      kind: 'calls',
      rules: 'bfcl',
      calls: expectedCalls
        .filter(isObject)
        .flatMap((one) => Object.entries(one).map(([name, args]) => callOf(name, args, listed))),
    };
  return {
    kind: 'calls',
    rules: 'exact',
    calls: expectedCalls
      .filter(isObject)
      .map(({ name, arguments: args }) => callOf(String(name), args, (value) => [value])),
  };
}

const listed = (value: JsonValue): JsonValue[] => (Array.isArray(value) ? value : [value]);

function callOf(name: string, args: JsonValue | undefined, values: (value: JsonValue) => JsonValue[]): AcceptedCall {
  const entries = Object.entries(isObject(args) ? args : {});
  return { name, arguments: Object.fromEntries(entries.map(([key, value]) => [key, values(value ?? null)])) };
}
