import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

setTracingDisabled(true);
const provider = new OpenAIProvider({ baseURL: settings.baseURL, apiKey: settings.apiKey, useResponses: true });
const agent = new Agent({
  name: 'coder',
  instructions: system,
  model: settings.model,
  tools: tools.map(({ name, description, parameters }) =>
    tool({ name, description, parameters, strict: true, execute: (args) => runTool(name, args) }),
  ),
});
const result = await new Runner({ modelProvider: provider }).run(agent, settings.prompt, {
  stream: true,
  maxTurns: maxRounds,
});
await result.completed;
console.log(result.finalOutput);
