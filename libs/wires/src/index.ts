import type { Front } from './front.ts';
import { chatCompletions } from './fronts/chat-completions.ts';
import type { UpstreamWire } from './upstream.ts';
import { openaiChat } from './upstreams/openai-chat.ts';

export * from './front.ts';
export { passesUntouched, passthrough, passthroughWhole } from './passthrough.ts';
export { refusedParameter, refusesTools, rejectedCall } from './refusals.ts';
export * from './upstream.ts';

/** The APIs we offer. */
export const fronts = { 'chat-completions': chatCompletions } as const satisfies Partial<Record<Front['name'], Front>>;

/** The APIs we use. */
export const upstreams = { 'openai-chat': openaiChat } as const satisfies Partial<
  Record<UpstreamWire['name'], UpstreamWire>
>;
