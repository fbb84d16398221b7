import { AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

const model = new ChatOpenAI({
  model: settings.model,
  apiKey: settings.apiKey,
  maxTokens: settings.maxTokens,
  useResponsesApi: false,
  configuration: { baseURL: settings.baseURL },
}).bindTools(
  tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } })),
);

const messages = [new SystemMessage(system), new HumanMessage(settings.prompt)];
for (let round = 0; round < maxRounds; round++) {
  let answer = new AIMessageChunk('');
  for await (const chunk of await model.stream(messages)) answer = answer.concat(chunk);
  messages.push(answer);
  if (answer.invalid_tool_calls?.length)
    throw new Error(`invalid tool calls: ${JSON.stringify(answer.invalid_tool_calls)}`);
  if (!answer.tool_calls?.length) {
    console.log(answer.text);
    break;
  }
  for (const call of answer.tool_calls)
    messages.push(new ToolMessage({ tool_call_id: call.id, name: call.name, content: runTool(call.name, call.args) }));
}
