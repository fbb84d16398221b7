import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { StdioTransport } from './connections.ts';
import { maxServerNameLength, serverNamePattern } from './tool-names.ts';

/**
 * The servers of `MCP_SERVERS_FILE`, `{"mcpServers": {name: {command, args, env, cwd}}}`: programs on this host. Throws
 * the error of an invalid file in one sentence.
 */
export async function readServersFile(path: string): Promise<Map<string, StdioTransport>> {
  const text = await readFile(path, 'utf8').catch((problem: Error) => {
    throw new Error(`MCP_SERVERS_FILE ${path} cannot be read: ${problem.message}`);
  });
  const file = parseJson(text);
  const servers = isObject(file) ? file.mcpServers : undefined;
  if (!isObject(servers)) throw new Error(`MCP_SERVERS_FILE ${path} must be JSON with an object "mcpServers".`);
  return new Map(Object.entries(servers).map(([name, entry]) => [checkedName(path, name), reachOf(path, name, entry)]));
}

function checkedName(path: string, name: string): string {
  if (serverNamePattern.test(name) && name.length <= maxServerNameLength) return name;
  throw new Error(
    `MCP_SERVERS_FILE ${path}: "${name.slice(0, 50)}" is not a valid server name: use at most ${maxServerNameLength} lower-case letters and digits, separated by single - or _.`,
  );
}

function reachOf(path: string, name: string, entry: unknown): StdioTransport {
  const refuse = (what: string): never => {
    throw new Error(`MCP_SERVERS_FILE ${path}: mcpServers.${name}.${what}.`);
  };
  const { command, args = [], env = {}, cwd, ...rest } = (isObject(entry as JsonObject) ? entry : {}) as JsonObject;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) refuse(`${unknown} is not a known field; use command, args, env and cwd`);
  if (typeof command !== 'string' || command === '') refuse('command must be the name of a program');
  if (!Array.isArray(args) || !args.every((one) => typeof one === 'string')) refuse('args must be a list of strings');
  if (!isObject(env) || !Object.values(env).every((one) => typeof one === 'string'))
    refuse('env must be an object of strings');
  if (cwd !== undefined && typeof cwd !== 'string') refuse('cwd must be a string');
  return {
    kind: 'stdio',
    command: command as string,
    args: args as string[],
    env: env as Record<string, string>,
    ...(cwd !== undefined && { cwd: cwd as string }),
  };
}
