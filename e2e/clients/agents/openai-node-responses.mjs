import OpenAI from 'openai';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

const client = new OpenAI({ baseURL: settings.baseURL, apiKey: settings.apiKey });
const offered = tools.map(({ name, description, parameters }) => ({
  type: 'function',
  name,
  description,
  parameters,
  strict: false,
}));

let input = [{ role: 'user', content: settings.prompt }];
let previous;
for (let round = 0; round < maxRounds; round++) {
  const stream = client.responses.stream({
    model: settings.model,
    instructions: system,
    input,
    tools: offered,
    max_output_tokens: settings.maxTokens,
    ...(previous && { previous_response_id: previous }),
  });
  const response = await stream.finalResponse();
  if (response.status !== 'completed')
    throw new Error(`response ${response.status}: ${JSON.stringify(response.incomplete_details ?? response.error)}`);
  const calls = response.output.filter((item) => item.type === 'function_call');
  if (calls.length === 0) {
    console.log(response.output_text);
    break;
  }
  input = calls.map((call) => ({
    type: 'function_call_output',
    call_id: call.call_id,
    output: runTool(call.name, JSON.parse(call.arguments)),
  }));
  previous = response.id;
}
