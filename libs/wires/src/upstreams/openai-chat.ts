import type { UpstreamWire } from '../upstream.ts';
import { upstreamFault } from './fault.ts';
import { chatEvents } from './openai-chat/events.ts';
import { explodeChat } from './openai-chat/explode.ts';
import { chatRequest } from './openai-chat/request.ts';

/** `/chat/completions` as vLLM, SGLang, llama.cpp, Ollama, LM Studio and OpenAI speak it. */
export const openaiChat: UpstreamWire = {
  name: 'openai-chat',
  request: chatRequest,
  events: chatEvents,
  explode: explodeChat,
  fault: upstreamFault,
};
