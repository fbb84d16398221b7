import type { Front } from './front.ts';
import { chatCompletions } from './fronts/chat-completions.ts';
import { responses } from './fronts/responses.ts';
import type { UpstreamWire } from './upstream.ts';
import { openaiChat } from './upstreams/openai-chat.ts';
import { openaiResponses } from './upstreams/openai-responses.ts';

export * from './front.ts';
export { continueFrom, conversationAfter } from './fronts/responses/state.ts';
export { passesUntouched, passthrough, passthroughWhole } from './passthrough.ts';
export { type RawRequest, readRaw } from './raw.ts';
export { refusedParameter, refusesTools, rejectedCall } from './refusals.ts';
export { answerTokens, type CountTokens, promptTokens, tokenCounter } from './tokens.ts';
export * from './upstream.ts';

/** The APIs we offer. */
export const fronts = { 'chat-completions': chatCompletions, responses } as const satisfies Record<
  Front['name'],
  Front
>;

/** The APIs we use. */
export const upstreams = { 'openai-chat': openaiChat, 'openai-responses': openaiResponses } as const satisfies Record<
  UpstreamWire['name'],
  UpstreamWire
>;
