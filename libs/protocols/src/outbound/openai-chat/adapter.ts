import type { OutboundAdapter } from '../../outbound-adapter.ts';
import { toFault } from '../to-fault.ts';
import { chatEvents } from './events.ts';
import { chatRequest } from './request.ts';
import { chatToEvents } from './to-events.ts';

/** `/chat/completions` as vLLM, SGLang, llama.cpp, Ollama, LM Studio and OpenAI implement it. */
export const openaiChat: OutboundAdapter = {
  framing: 'events',
  request: chatRequest,
  events: chatEvents,
  toEvents: chatToEvents,
  toFault: toFault,
};
