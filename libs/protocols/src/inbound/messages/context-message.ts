/**
 * A model server's error about a prompt that is too long, in the wording from which clients of this API read numbers:
 * they shorten the conversation, or ask for fewer tokens. A message without numbers is appended to the known wording.
 */
export function contextMessage(message: string): string {
  for (const { pattern, read } of engines) {
    const match = pattern.exec(message);
    if (match) return read(...(match.slice(1).map(Number) as Numbers));
  }
  return `prompt is too long: ${message}`;
}

type Numbers = [first: number, second: number, third: number, fourth: number];

const tooLong = (prompt: number, most: number): string => `prompt is too long: ${prompt} tokens > ${most} maximum`;

/** If the prompt would fit with a shorter response, the token limit is mentioned. */
const withAnswer = (prompt: number, answer: number, most: number): string =>
  prompt >= most
    ? tooLong(prompt, most)
    : `input length and \`max_tokens\` exceed context limit: ${prompt} + ${answer} > ${most}, decrease input length or \`max_tokens\` and try again`;

/** Each engine's message; numbers in their order. */
const engines: readonly { readonly pattern: RegExp; readonly read: (...numbers: Numbers) => string }[] = [
  {
    // vLLM, OpenAI: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion)."
    pattern:
      /maximum context length is (\d+) tokens\. However, you requested (\d+)(?: output)? tokens \((\d+) in the (?:messages|prompt)[^)]{0,60}?(\d+) in the completion\)/i,
    read: (most, _all, prompt, answer) => withAnswer(prompt, answer, most),
  },
  {
    // vLLM: "… However, you requested 500 output tokens and your prompt contains at least 8000 input tokens, …"
    pattern:
      /maximum context length is (\d+) tokens\. However, you requested (\d+) output tokens and your prompt contains (?:at least )?(\d+) input tokens/i,
    read: (most, answer, prompt) => withAnswer(prompt, answer, most),
  },
  {
    // vLLM: "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 700 input tokens (…)."
    pattern:
      /is too large: (\d+)\. This model's maximum context length is (\d+) tokens and your request has (\d+) input tokens/i,
    read: (answer, most, prompt) => withAnswer(prompt, answer, most),
  },
  {
    // SGLang: "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8500 tokens from the input messages and 500 tokens for the completion."
    pattern:
      /maximum context length of (\d+) tokens\. You requested a total of (\d+) tokens: (\d+) tokens from the input messages and (\d+) tokens for the completion/i,
    read: (most, _all, prompt, answer) => withAnswer(prompt, answer, most),
  },
  {
    // vLLM, OpenAI: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    pattern:
      /maximum context length is (\d+) tokens\. However, your (?:messages|request|prompt)(?: resulted in| has| contains)(?: at least)? (\d+)/i,
    read: (most, prompt) => tooLong(prompt, most),
  },
  {
    // Ours, before the request is sent: "This model's maximum context length is 8192 tokens, but the prompt has 9000 tokens. …"
    pattern: /maximum context length is (\d+) tokens, but the prompt has (\d+) tokens/i,
    read: (most, prompt) => tooLong(prompt, most),
  },
  {
    // SGLang: "The input (9000 tokens) is longer than the model's context length (8192 tokens)."
    pattern: /input \((\d+) tokens\) is longer than the model's context length \((\d+) tokens\)/i,
    read: (prompt, most) => tooLong(prompt, most),
  },
  {
    // llama.cpp: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"
    pattern: /request \((\d+) tokens\) exceeds the available context size (?:\(|of )(\d+)/i,
    read: (prompt, most) => tooLong(prompt, most),
  },
];
