import { chatCompletions } from './inbound/chat-completions.ts';
import { responses } from './inbound/responses.ts';
import type { InboundAdapter } from './inbound-adapter.ts';
import { openaiChat } from './outbound/openai-chat.ts';
import { openaiResponses } from './outbound/openai-responses.ts';
import type { OutboundAdapter } from './outbound-adapter.ts';

export { continueFrom, conversationAfter } from './inbound/responses/state.ts';
export * from './inbound-adapter.ts';
export * from './outbound-adapter.ts';
export { passesUntouched, passthrough, passthroughWhole } from './passthrough.ts';
export { type RawRequest, readRaw } from './raw.ts';
export { refusedParameter, refusesTools, rejectedCall } from './refusals.ts';
export { answerTokens, type CountTokens, promptTokens, tokenCounter } from './tokens.ts';

/** The APIs we offer. */
export const inboundAdapters = { 'chat-completions': chatCompletions, responses } as const satisfies Record<
  InboundAdapter['name'],
  InboundAdapter
>;

/** The APIs we use. */
export const outboundAdapters = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
} as const satisfies Record<OutboundAdapter['name'], OutboundAdapter>;
