import type { Tool, ToolTable } from '@callsmith/turn';
import type { Rule } from '../rules.ts';

/** What a name that the model used stands for. `tool` is undefined where it is not on offer. */
export interface ResolvedName {
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly rules: readonly Rule[];
}

const namespaces = ['functions.', 'function.', 'functions:', 'default_api.', 'default_api:', 'tools.', 'tool.', 'api.'];

const fold = (name: string): string => name.toLowerCase().replace(/[_\-.\s]/g, '');

/** Finds the offered tool that a name means: as it stands, without quotes and leaked markers, without a namespace, or folded if exactly one is like it. */
export function resolveName(said: string, tools: ToolTable): ResolvedName {
  const exact = tools.get(said);
  if (exact) return { name: said, tool: exact, rules: [] };
  const trimmed = trim(said);
  const rules: Rule[] = trimmed === said ? [] : ['trim-name'];
  const same = tools.get(trimmed);
  if (same) return { name: trimmed, tool: same, rules };
  for (const namespace of namespaces) {
    if (!trimmed.startsWith(namespace)) continue;
    const bare = tools.get(trimmed.slice(namespace.length));
    if (bare) return { name: bare.name, tool: bare, rules: [...rules, 'strip-prefix'] };
  }
  const alike = foldedTool(trimmed, tools);
  if (alike) return { name: alike.name, tool: alike, rules: [...rules, 'fold-name'] };
  return { name: trimmed, tool: undefined, rules };
}

function foldedTool(name: string, tools: ToolTable): Tool | undefined {
  const wanted = new Set([fold(name), fold(name.replace(/^(?:functions|default_api)[.:]/, ''))]);
  wanted.delete('');
  const alike = tools.list.filter((tool) => wanted.has(fold(tool.name)));
  return new Set(alike.map((tool) => tool.name)).size === 1 ? alike[0] : undefined;
}

/** "`bash<|channel|>commentary`" → "bash" */
function trim(name: string): string {
  const cut = name.trim().replace(/^["'`“”]+|["'`“”]+$/g, '');
  const marker = cut.search(/<[|｜]|[\s<>]/);
  return (marker > 0 ? cut.slice(0, marker) : cut).replace(/["'`]+$/, '').slice(0, 256);
}
