import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { runAgent } from './ai-sdk-loop.mjs';
import { settings } from './tools.mjs';

await runAgent(
  createOpenAICompatible({ name: 'gateway', baseURL: settings.baseURL, apiKey: settings.apiKey, includeUsage: true })(
    settings.model,
  ),
);
