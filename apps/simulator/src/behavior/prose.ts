import type { Conversation } from './conversation.ts';
import type { Plan } from './plan.ts';

const failure =
  /^\W{0,4}(?:<\w+>\s*)?(?:the tool execution failed|error\b|failed\b|failure\b|enoent|fatal\b|invalid (?:arguments|input|tool)|could not|cannot|unable to|file not found|no such file|tool .{0,60} not found|unknown tool)|\bno such file or directory\b|\bENOENT\b|\b(?:file|path) (?:does not exist|not found)\b|\bmust be (?:an )?absolute\b|"success":\s*false/i;

// opencode "called with invalid arguments", Qwen Code "must have required property", Cline "Missing value for required parameter",
// Codex "missing field `cmd`", pi "Validation failed for tool"
const rejection =
  /\binvalid (?:arguments|parameters|input|tool call)\b|\barguments\b.{0,40}\binvalid\b|\b(?:missing|must have|required)\b.{0,40}\b(?:required|property|parameter|field)\b|\bmissing field\b|\bvalidation (?:failed|error)\b/i;

/** True if a tool's result says that the call itself was invalid, so that it should be repeated. */
export const rejected = (result: string): boolean => rejection.test(result.slice(0, 400));

/** True if a tool's result reports a failure. */
export const failed = (result: string): boolean => failure.test(result.slice(0, 400)) || rejected(result);

/** The beginning of a result, short enough to quote. */
export const firstLines = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text).trim();

const words =
  'the model reads what stands there and answers in plain words one after another so that a stream has something to carry while nobody waits for meaning'.split(
    ' ',
  );

/** Text for a turn without calls: about the results if there are any, else about the request. */
export function proseAnswer(conversation: Conversation, wanted: Plan): string {
  const count = /\b(\d{1,6})\s+words\b/i.exec(conversation.task)?.[1];
  if (count !== undefined) return manyWords(Math.min(Number(count), 200_000));
  const results = conversation.exchanges
    .map((exchange) => firstLines(exchange.result))
    .filter((result) => result !== '');
  if (results.length > 0) return `Here is what I found: ${results.slice(-8).join('; ')}.`;
  if (/\bask me\b/i.test(conversation.task)) return 'Which one do you mean?';
  if (/title|summar/i.test(conversation.system.slice(0, 2000)) && conversation.task !== '')
    return conversation.task.replace(/\s+/g, ' ').slice(0, 48);
  const opening = `You asked: "${firstLines(conversation.task)}"`;
  if (wanted.steps.length > 0)
    return `${opening} I would begin with a tool for that, but I know of none, so I can only answer in words.`;
  return `${opening} This is a simulated model, and this is its answer in plain words.`;
}

const manyWords = (count: number): string =>
  Array.from({ length: count }, (_, at) => words[at % words.length]).join(' ');
