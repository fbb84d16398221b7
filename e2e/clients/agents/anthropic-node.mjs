import Anthropic from '@anthropic-ai/sdk';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

// The SDK appends /v1 itself.
const client = new Anthropic({ baseURL: settings.baseURL.replace(/\/v1$/, ''), apiKey: settings.apiKey });
const messages = [{ role: 'user', content: settings.prompt }];
for (let round = 0; round < maxRounds; round++) {
  const stream = client.messages.stream({
    model: settings.model,
    max_tokens: settings.maxTokens,
    system,
    messages,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  });
  const { content, stop_reason: reason } = await stream.finalMessage();
  messages.push({ role: 'assistant', content });
  const calls = content.filter(({ type }) => type === 'tool_use');
  if (reason !== 'tool_use' || calls.length === 0) {
    console.log(content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
    break;
  }
  messages.push({
    role: 'user',
    content: calls.map(({ id, name, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: runTool(name, input),
    })),
  });
}
