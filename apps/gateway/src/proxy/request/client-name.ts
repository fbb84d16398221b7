import type { RequestHeaders } from './api-key.ts';

/** Clients by their headers, first match wins: header, pattern, name. The names are labels in metrics and charts. */
const table: readonly (readonly [header: string, pattern: RegExp, name: string])[] = [
  ['user-agent', /^callsmith-demo\b/i, 'demo'],
  ['originator', /^codex/i, 'codex'],
  ['x-title', /^kilo/i, 'kilo'],
  ['x-title', /^roo/i, 'roo'],
  ['x-title', /^cline/i, 'cline'],
  ['user-agent', /^codex/i, 'codex'],
  ['user-agent', /^claude-cli\//i, 'claude-code'],
  ['user-agent', /^geminicli\b/i, 'gemini-cli'],
  ['user-agent', /^kilo-?code\//i, 'kilo'],
  ['user-agent', /^opencode\//i, 'opencode'],
  ['user-agent', /^cline\//i, 'cline'],
  // Cline's command line since version 3.
  ['user-agent', /^ai-sdk\/openai-compatible\/.*runtime\/bun/i, 'cline'],
  ['user-agent', /^roocode\//i, 'roo'],
  ['user-agent', /^qwencode\//i, 'qwen-code'],
  ['user-agent', /^ls\/js/i, 'continue'],
  ['user-agent', /^continue\b/i, 'continue'],
  ['user-agent', /cursor/i, 'cursor'],
  ['user-agent', /^agents\/javascript/i, 'openai-agents'],
  ['user-agent', /^agents\/python/i, 'openai-agents'],
  ['user-agent', /^langchain/i, 'langchain'],
  ['user-agent', /^ai-sdk\//i, 'ai-sdk'],
  ['user-agent', /^(?:async)?openai\/js/i, 'openai-node'],
  ['user-agent', /^(?:async)?openai\/python/i, 'openai-python'],
  ['user-agent', /^(?:async)?anthropic\/js/i, 'anthropic-node'],
  ['user-agent', /^(?:async)?anthropic\/python/i, 'anthropic-python'],
  ['user-agent', /^google-genai-sdk\/.*gl-node/i, 'google-node'],
  ['user-agent', /^google-genai-sdk\/.*gl-python/i, 'google-python'],
  ['user-agent', /^curl\//i, 'curl'],
];

const headersLookedAt = [...new Set(table.map(([header]) => header))];
/** Maximum characters of a header that are matched. */
const looked = 300;
/** Earlier results by header values; few clients send many requests. */
const found = new Map<string, string>();
const mostFound = 200;

/** The client that sent a request, from a closed table; `other` if it is unknown. */
export function clientName(headers: RequestHeaders): string {
  const sent = headersLookedAt.map((header) => part(headers[header])).join('\n');
  let name = found.get(sent);
  if (name !== undefined) return name;
  name = table.find(([header, pattern]) => pattern.test(part(headers[header])))?.[2] ?? 'other';
  if (found.size === mostFound) found.clear();
  found.set(sent, name);
  return name;
}

const part = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value.slice(0, looked) : '';
