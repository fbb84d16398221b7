import type { JsonObject } from '@callsmith/turn';

/** One demo request: a user's prompt, with the tools a coding client would offer. */
export interface DemoTask {
  readonly model: string;
  readonly ask: string;
  readonly tools: readonly JsonObject[];
  readonly stream: boolean;
}

export const demoModels = ['demo-native', 'demo-text', 'demo-leaky', 'demo-flaky'] as const;

const string = (description: string): JsonObject => ({ type: 'string', description });

const tool = (name: string, description: string, properties: JsonObject, required: string[]): JsonObject => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});

const readFile = tool('read_file', 'Reads a file.', { path: string('Path of the file') }, ['path']);
const writeFile = tool(
  'write_file',
  'Writes a file, replacing what is there.',
  { path: string('Path of the file'), content: string('The whole new content') },
  ['path', 'content'],
);
const runCommand = tool('run_command', 'Runs a shell command.', { command: string('The command line') }, ['command']);
const getWeather = tool(
  'get_weather',
  'Tells the weather of a city.',
  { city: string('Name of the city'), days: { type: 'integer', description: 'Days ahead' } },
  ['city'],
);

const coding = [readFile, writeFile, runCommand];

const asks: readonly { readonly ask: string; readonly tools: readonly JsonObject[] }[] = [
  { ask: 'Read src/server.ts and tell me what it listens on.', tools: coding },
  { ask: 'Create notes/todo.md with "- rotate the API keys".', tools: coding },
  { ask: 'What is the weather in Oslo?', tools: [getWeather] },
  { ask: 'Run the command `npm test` and tell me what fails.', tools: coding },
  { ask: 'Read package.json and list its scripts.', tools: coding },
  { ask: 'Write the file config/limits.json with `{"requests": 60}`.', tools: coding },
  { ask: 'Open README.md and summarise it in two sentences.', tools: coding },
  { ask: 'What is the weather in Lisbon for the next 3 days?', tools: [getWeather] },
  { ask: 'Run the command `git log --oneline -5`.', tools: coding },
  { ask: 'Read docs/api.md and check its examples.', tools: coding },
  { ask: 'Create src/greet.ts containing "export const greet = (name: string) => name;".', tools: coding },
  { ask: 'Show me tsconfig.json and explain the strict options.', tools: coding },
  { ask: 'Run the command `ls -la src`.', tools: coding },
];

/** The n-th demo request. Models alternate; 13 prompts and 4 models give every combination. */
export function demoTask(n: number): DemoTask {
  const model = demoModels[n % demoModels.length]!;
  const { ask, tools } = asks[n % asks.length]!;
  return { model, ask, tools, stream: n % 3 !== 0 };
}
