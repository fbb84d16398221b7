// The tools of every library agent: they really work on the current folder.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const text = (description) => ({ type: 'string', description });

/** Name, description, JSON schema of the arguments, and what the tool does. */
export const tools = [
  {
    name: 'read_file',
    description: 'Reads a text file and gives back its content.',
    parameters: {
      type: 'object',
      properties: { path: text('Path of the file') },
      required: ['path'],
      additionalProperties: false,
    },
    run: ({ path }) => readFileSync(path, 'utf8'),
  },
  {
    name: 'write_file',
    description: 'Writes a text file, replacing what is there.',
    parameters: {
      type: 'object',
      properties: { path: text('Path of the file'), content: text('The whole new content') },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    run: ({ path, content }) => {
      writeFileSync(path, content);
      return `wrote ${content.length} characters to ${path}`;
    },
  },
  {
    name: 'bash',
    description: 'Runs a shell command and gives back what it prints.',
    parameters: {
      type: 'object',
      properties: { command: text('The command') },
      required: ['command'],
      additionalProperties: false,
    },
    run: ({ command }) => execFileSync('sh', ['-c', command], { encoding: 'utf8', timeout: 20_000 }),
  },
];

/** Runs a tool; an error is a result, not a crash. */
export function runTool(name, args) {
  const tool = tools.find((one) => one.name === name);
  if (!tool) return `Error: unknown tool ${name}`;
  try {
    return String(tool.run(args));
  } catch (error) {
    return `Error: ${error.message}`;
  }
}

export const system = `You are a coding agent. The working directory is ${process.cwd()}. Use the tools to do what the user asks.`;

const env = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
};

/** The server to use, and the prompt. */
export const settings = {
  baseURL: env('AGENT_BASE_URL'),
  apiKey: env('AGENT_API_KEY'),
  model: env('AGENT_MODEL'),
  prompt: env('AGENT_PROMPT'),
  maxTokens: Number(env('AGENT_MAX_TOKENS')),
};

/** Maximum rounds of calls and results. */
export const maxRounds = 40;
