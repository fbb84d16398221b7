import { createOpenAI } from '@ai-sdk/openai';
import { runAgent } from './ai-sdk-loop.mjs';
import { settings } from './tools.mjs';

await runAgent(createOpenAI({ baseURL: settings.baseURL, apiKey: settings.apiKey })(settings.model));
