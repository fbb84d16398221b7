import type { SchemaName } from './schemas.ts';

/** A route of the inference API. */
export interface InferenceRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Parameters as `/:name`; `*` is a model's name, slashes included; the part after it is the action. */
  readonly path: string;
  readonly summary: string;
  /** Who may call it: holders of an API key, an admin, or anyone. */
  readonly access: 'key' | 'admin-key' | 'anyone';
  readonly request?: SchemaName;
  /** Each possible form of its response. */
  readonly replies: readonly SchemaName[];
  /** An event of the response, if the request asks for a stream. */
  readonly event?: SchemaName;
  readonly error: 'Error' | 'AnthropicError' | 'GeminiError' | 'GeminiStreamError';
  readonly query?: readonly string[];
}

const chat = {
  method: 'POST',
  access: 'key',
  request: 'ChatRequest',
  replies: ['ChatCompletion'],
  event: 'ChatChunk',
  error: 'Error',
} as const;
const responses = {
  method: 'POST',
  access: 'key',
  request: 'ResponseRequest',
  replies: ['Response'],
  event: 'ResponseEvent',
  error: 'Error',
} as const;
const stored = { access: 'key', error: 'Error' } as const;
const passed = {
  method: 'POST',
  access: 'key',
  request: 'PassedRequest',
  replies: ['PassedReply'],
  error: 'Error',
} as const;
const messages = { method: 'POST', access: 'key', error: 'AnthropicError' } as const;
const gemini = { access: 'key', error: 'GeminiError' } as const;
const geminiRoutes = (base: string): InferenceRoute[] => [
  {
    ...gemini,
    method: 'POST',
    path: `${base}/models/*:generateContent`,
    summary: 'Generates a response to a conversation.',
    request: 'GenerateRequest',
    replies: ['GenerateResponse'],
  },
  {
    ...gemini,
    method: 'POST',
    path: `${base}/models/*:streamGenerateContent`,
    error: 'GeminiStreamError',
    summary: 'Generates a response to a conversation, streamed: as events with `alt=sse`, else as one JSON array.',
    request: 'GenerateRequest',
    replies: ['GenerateResponseList'],
    event: 'GenerateResponse',
    query: ['alt'],
  },
  {
    ...gemini,
    method: 'POST',
    path: `${base}/models/*:countTokens`,
    summary: 'Counts the tokens of a prompt; does not count toward limits.',
    request: 'GeminiCountRequest',
    replies: ['GeminiTokenCount'],
  },
];
const models = {
  method: 'GET',
  access: 'key',
  replies: ['ModelList', 'AnthropicModelList', 'GeminiModelList'],
  error: 'Error',
  query: ['limit', 'after_id', 'before_id', 'pageSize', 'pageToken'],
} as const;

/** Every route under `/v1`, `/v1beta`, `/proxy`, `/llm` and `/mcp`. */
export const inferenceRoutes: readonly InferenceRoute[] = [
  { ...chat, path: '/v1/chat/completions', summary: 'Generates a response to a conversation.' },
  {
    ...responses,
    path: '/v1/responses',
    summary: 'Generates a response to a conversation; stored unless `store` is false.',
  },
  { ...stored, method: 'GET', path: '/v1/responses/:id', summary: 'A stored response.', replies: ['Response'] },
  {
    ...stored,
    method: 'DELETE',
    path: '/v1/responses/:id',
    summary: 'Deletes a stored response.',
    replies: ['DeletedResponse'],
  },
  {
    ...stored,
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    summary: 'The input items of a stored response.',
    replies: ['InputItemList'],
    query: ['limit', 'order', 'after'],
  },
  {
    ...stored,
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    summary: 'Always refused: background mode is not supported.',
    replies: [],
  },
  {
    ...stored,
    method: 'POST',
    path: '/v1/responses/input_tokens',
    summary: 'Counts the tokens of a prompt; does not count toward limits.',
    request: 'ResponseRequest',
    replies: ['ResponseInputTokens'],
  },
  {
    ...messages,
    path: '/v1/messages',
    summary: 'Generates a response to a conversation.',
    request: 'MessageRequest',
    replies: ['Message'],
    event: 'MessageEvent',
  },
  {
    ...messages,
    path: '/v1/messages/count_tokens',
    summary: 'Counts the tokens of a prompt; does not count toward limits.',
    request: 'CountRequest',
    replies: ['TokenCount'],
  },
  ...['/v1beta', '/v1'].flatMap(geminiRoutes),
  {
    ...gemini,
    method: 'GET',
    path: '/v1beta/models',
    summary: 'The models that the key may use.',
    replies: ['GeminiModelList'],
    query: ['pageSize', 'pageToken'],
  },
  {
    ...gemini,
    method: 'GET',
    path: '/v1beta/models/*',
    summary: 'One model that the key may use.',
    replies: ['GeminiModel'],
  },
  { ...passed, path: '/v1/completions', summary: 'Passed on to the upstream.' },
  { ...passed, path: '/v1/embeddings', summary: 'Passed on to the upstream.' },
  { ...passed, path: '/v1/rerank', summary: 'Passed on to the upstream.' },
  {
    ...stored,
    method: 'GET',
    path: '/v1/usage',
    summary: 'The usage and limits of the key, and what is left of them.',
    replies: ['KeyUsage'],
    query: ['days'],
  },
  {
    ...stored,
    method: 'GET',
    path: '/v1/mcp/tools',
    summary: 'The tools of MCP servers that the key may use, as functions.',
    replies: ['FunctionList'],
  },
  {
    ...stored,
    method: 'POST',
    path: '/mcp/:server',
    summary: 'An MCP endpoint (streamable HTTP) with the tools of a registered server that the key may use.',
    request: 'JsonRpcRequest',
    replies: ['JsonRpcReply'],
  },
  {
    ...models,
    path: '/v1/models',
    summary: 'The models that the key may use; in Anthropic’s or Google’s form for their clients.',
  },
  {
    ...models,
    path: '/v1/models/*',
    summary: 'One model that the key may use.',
    replies: ['Model', 'AnthropicModel', 'GeminiModel'],
    query: [],
  },
  {
    ...stored,
    method: 'GET',
    path: '/v1',
    summary: 'Explains that this is a base URL.',
    access: 'anyone',
    replies: ['BaseUrl'],
  },
  {
    ...stored,
    method: 'GET',
    path: '/v1/api/hello',
    summary: 'Answers the probe of Anthropic’s clients.',
    access: 'anyone',
    replies: ['Hello'],
  },
  {
    ...stored,
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This document.',
    access: 'anyone',
    replies: ['OpenapiDocument'],
  },
  { ...chat, path: '/proxy/chat/completions', summary: 'As under /v1; calls go out once they are whole and checked.' },
  { ...responses, path: '/proxy/responses', summary: 'As under /v1; calls go out once they are whole and checked.' },
  { ...models, path: '/proxy/models', summary: 'As under /v1.' },
  {
    ...stored,
    method: 'GET',
    path: '/proxy/debug/tool-calls',
    summary: 'The newest raw calls, secrets masked.',
    access: 'admin-key',
    replies: ['DebugCalls'],
    query: ['limit', 'clear'],
  },
  { ...chat, path: '/llm/v1/chat/completions', summary: 'As under /v1.' },
  {
    ...chat,
    path: '/llm/*',
    summary: '/llm/{model}/v1/chat/completions: as under /v1, with the model in the path.',
  },
];
