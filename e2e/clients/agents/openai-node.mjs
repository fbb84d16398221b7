import OpenAI from 'openai';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

const client = new OpenAI({ baseURL: settings.baseURL, apiKey: settings.apiKey });
const runner = client.chat.completions.runTools(
  {
    model: settings.model,
    stream: true,
    max_completion_tokens: settings.maxTokens,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: settings.prompt },
    ],
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters, parse: JSON.parse, function: (args) => runTool(name, args) },
    })),
  },
  { maxChatCompletions: maxRounds },
);
console.log(await runner.finalContent());
