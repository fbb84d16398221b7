import { chatCompletions } from './inbound/chat-completions/adapter.ts';
import { gemini } from './inbound/gemini/adapter.ts';
import { messages } from './inbound/messages/adapter.ts';
import { responses } from './inbound/responses/adapter.ts';
import type { InboundAdapter } from './inbound-adapter.ts';
import { ollamaChat } from './outbound/ollama-chat/adapter.ts';
import { openaiChat } from './outbound/openai-chat/adapter.ts';
import { openaiResponses } from './outbound/openai-responses/adapter.ts';
import type { OutboundAdapter, OutboundName } from './outbound-adapter.ts';

export { geminiArray } from './inbound/gemini/array-adapter.ts';
export { openaiError } from './inbound/openai-error.ts';
export * from './inbound-adapter.ts';
export { type ConstraintField, engineConstraints } from './outbound/constraints.ts';
export {
  type EngineFailure,
  engineFailure,
  occursInRequest,
  type Retreat,
  type RetreatStep,
  retreats,
} from './outbound/engine-failures.ts';
export { holdsError } from './outbound/engine-message.ts';
export { engines } from './outbound/engines.ts';
export { accepts } from './outbound/parameters.ts';
export { parseReply } from './outbound/parse-reply.ts';
export { refusedParameter } from './outbound/refused-parameter.ts';
export { rejectedCall } from './outbound/rejected-call.ts';
export type { TokenCount, TokenizerRequest } from './outbound/tokenizers.ts';
export * from './outbound-adapter.ts';
export { rawPrompt, readRaw } from './raw.ts';
export { answerTokens, promptTokens, tokenCounter } from './tokens.ts';
export { checkChoice, namespacedToolName } from './tools.ts';

/** The APIs for clients. */
export const inboundAdapters = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  gemini,
} as const satisfies Record<string, InboundAdapter>;

/** The API of a recorded request, by its route; other routes contain a model's name and are chat completions. */
export const inboundAdapterOf = (route: string): InboundAdapter =>
  Object.values(inboundAdapters).find(({ path }) => route.endsWith(path)) ?? chatCompletions;

/** The APIs of model servers. */
export const outboundAdapters = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'ollama-chat': ollamaChat,
} as const satisfies Record<OutboundName, OutboundAdapter>;
