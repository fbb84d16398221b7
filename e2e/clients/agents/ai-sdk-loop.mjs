import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

/** Runs the agent on a model of the AI SDK and prints the final text. */
export async function runAgent(model) {
  const result = streamText({
    model,
    system,
    prompt: settings.prompt,
    maxOutputTokens: settings.maxTokens,
    stopWhen: stepCountIs(maxRounds),
    tools: Object.fromEntries(
      tools.map(({ name, description, parameters }) => [
        name,
        tool({ description, inputSchema: jsonSchema(parameters), execute: (args) => runTool(name, args) }),
      ]),
    ),
    onError: ({ error }) => {
      console.error(error);
      process.exitCode = 1;
    },
  });
  console.log(await result.text);
}
