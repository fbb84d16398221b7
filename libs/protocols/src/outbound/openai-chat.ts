import type { OutboundAdapter } from '../outbound-adapter.ts';
import { upstreamFault } from './fault.ts';
import { chatEvents } from './openai-chat/events.ts';
import { chatRequest } from './openai-chat/request.ts';
import { chatToEvents } from './openai-chat/to-events.ts';

/** `/chat/completions` as vLLM, SGLang, llama.cpp, Ollama, LM Studio and OpenAI speak it. */
export const openaiChat: OutboundAdapter = {
  name: 'openai-chat',
  request: chatRequest,
  events: chatEvents,
  toEvents: chatToEvents,
  toFault: upstreamFault,
};
