import type { RequestHeaders } from './identify.ts';

/** Clients by what they send, first match wins: header, pattern, name. The names are labels in metrics and charts. */
const table: readonly (readonly [header: string, pattern: RegExp, name: string])[] = [
  ['user-agent', /^callsmith-demo\b/i, 'demo'],
  ['originator', /^codex/i, 'codex'],
  ['x-title', /^kilo/i, 'kilo'],
  ['x-title', /^roo/i, 'roo'],
  ['x-title', /^cline/i, 'cline'],
  ['user-agent', /^codex/i, 'codex'],
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
  ['user-agent', /^curl\//i, 'curl'],
];

/** Which client sent a request, from a closed table; `other` where it is none of them. */
export function clientOf(headers: RequestHeaders): string {
  for (const [header, pattern, name] of table) {
    const value = headers[header];
    if (typeof value === 'string' && pattern.test(value.slice(0, 300))) return name;
  }
  return 'other';
}
