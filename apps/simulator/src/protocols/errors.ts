import type { JsonObject } from '@callsmith/turn';
import type { Controls } from '../controls.ts';

/** An HTTP error response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const types: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  500: 'InternalServerError',
  503: 'ServiceUnavailableError',
};

/** An error in the body format of the simulated engine. */
export function errorAnswer(
  status: number,
  message: string,
  { engine, errors }: Pick<Controls, 'engine' | 'errors'>,
  param: string | null = null,
): ErrorAnswer {
  if (engine === 'ollama')
    return {
      status,
      body: { error: { message, type: status < 500 ? 'invalid_request_error' : 'api_error', param, code: null } },
    };
  if (engine === 'llamacpp')
    return {
      status,
      body: { error: { code: status, message, type: status < 500 ? 'invalid_request_error' : 'server_error' } },
    };
  if (engine === 'lmstudio') return { status, body: { error: message } };
  const inner = { message, type: types[status] ?? 'InternalServerError', param, code: status };
  return { status, body: errors === 'old' ? { object: 'error', ...inner } : { error: inner } };
}

/** Each engine's message for refused tools. */
export function toolRefusal(model: string, choice: unknown, controls: Controls): ErrorAnswer {
  if (controls.engine === 'ollama')
    return errorAnswer(400, `registry.ollama.ai/library/${model} does not support tools`, controls);
  if (controls.engine === 'llamacpp') return errorAnswer(500, 'tools param requires --jinja flag', controls);
  if (choice === 'required')
    return errorAnswer(400, 'tool_choice="required" requires --tool-call-parser to be set', controls);
  return errorAnswer(
    400,
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    controls,
  );
}

/** DeepSeek's message for a past response without its reasoning. */
export const reasoningRefusal = (message: number, controls: Controls): ErrorAnswer =>
  errorAnswer(
    400,
    `Missing \`reasoning_content\` field in the assistant message at message index ${message}`,
    controls,
  );

/** Each engine's message for a constraint that it cannot compile into a grammar. */
export function constraintRefusal(controls: Controls): ErrorAnswer {
  if (controls.engine === 'llamacpp')
    return errorAnswer(400, 'Failed to initialize samplers: failed to parse grammar', controls);
  return errorAnswer(400, 'The provided JSON schema contains features not supported by xgrammar.', controls);
}

/** vLLM's message for a prompt that leaves too few tokens, or none, for the response; undefined if everything fits. */
export function overflow(
  promptTokens: number,
  maxTokens: number | undefined,
  controls: Controls,
): ErrorAnswer | undefined {
  const longest = `This model's maximum context length is ${controls.context} tokens.`;
  if (promptTokens >= controls.context) {
    return errorAnswer(
      400,
      `${longest} However, your request has ${promptTokens} input tokens. Please reduce the length of the input messages.`,
      controls,
    );
  }
  if (maxTokens === undefined || maxTokens <= controls.context - promptTokens) return undefined;
  const message =
    `'max_tokens' or 'max_completion_tokens' is too large: ${maxTokens}. ${longest.slice(0, -1)} and your request has ` +
    `${promptTokens} input tokens (${maxTokens} > ${controls.context} - ${promptTokens}).`;
  return errorAnswer(400, message, controls, 'max_tokens');
}

/** The 500 of an engine that could not parse its own model's call, with the call in it. */
export function engineRejection(
  raw: { readonly arguments: string; readonly text: string },
  controls: Controls,
): ErrorAnswer {
  if (controls.engine === 'llamacpp') return errorAnswer(500, `Failed to parse input at pos 0: ${raw.text}`, controls);
  return errorAnswer(
    500,
    `error parsing tool call: raw='${raw.arguments}', err=invalid character '\\n' in string literal`,
    { ...controls, engine: 'ollama' },
  );
}

/** The response of a `status-…` fault. */
export function statusAnswer(status: number, controls: Controls): ErrorAnswer {
  const headers: Record<string, string> =
    controls.retryAfter === undefined ? {} : { 'retry-after': String(controls.retryAfter) };
  if (status === 502) {
    const body =
      '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';
    return { status, body, headers: { 'content-type': 'text/html' } };
  }
  const message = {
    400: 'Simulated bad request',
    401: 'Unauthorized',
    404: 'The model does not exist.',
    429: 'Too many requests',
    503: 'The server is overloaded',
  }[status];
  return { ...errorAnswer(status, message ?? 'Internal server error', controls), headers };
}
