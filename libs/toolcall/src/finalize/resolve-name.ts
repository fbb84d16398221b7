import type { Tool, ToolTable } from '@callsmith/turn';
import type { Rule } from '../rules.ts';

/** The tool that a name from the model refers to. `tool` is undefined if it is not on offer. */
export interface ResolvedName {
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly rules: readonly Rule[];
}

const namespaces = [
  'functions.',
  'function.',
  'functions::',
  'functions:',
  'default_api.',
  'default_api:',
  'tools.',
  'tool.',
  'api.',
];

const folded = (name: string): string => name.toLowerCase().replace(/[_\-.\s\\]/g, '');

/**
 * Finds the offered tool that a name refers to: unchanged, without quotes and leaked markers, without or with a
 * namespace, or folded if exactly one matches.
 */
export function resolveName(rawName: string, tools: ToolTable): ResolvedName {
  const exact = tools.get(rawName);
  if (exact) return { name: rawName, tool: exact, rules: [] };
  const trimmed = trim(rawName);
  const rules: Rule[] = trimmed === rawName ? [] : ['trim-name'];
  const same = tools.get(trimmed);
  if (same) return { name: trimmed, tool: same, rules };
  for (const namespace of namespaces) {
    if (!trimmed.startsWith(namespace)) continue;
    const bare = tools.get(trimmed.slice(namespace.length));
    if (bare) return { name: bare.name, tool: bare, rules: [...rules, 'strip-prefix'] };
  }
  const dotted = toolByLastSegment(trimmed, tools);
  if (dotted)
    return { name: dotted.name, tool: dotted, rules: [...rules, trimmed.includes('.') ? 'strip-prefix' : 'fold-name'] };
  const alike = foldedTool(trimmed, tools);
  if (alike) return { name: alike.name, tool: alike, rules: [...rules, 'fold-name'] };
  const head = tools.get(beginning.exec(trimmed)?.[1] ?? '');
  if (head) return { name: head.name, tool: head, rules: ['trim-name'] };
  return { name: trimmed, tool: undefined, rules };
}

/** "touch?commentary?…", "find...commentary": a broken harmony message header leaves this after the name. */
const beginning = /^([\w-]+)(?:\.{2,}|\.?[?…\uFFFD\p{Cc}])/u;

/** "hypot" if only "math.hypot" is on offer, and vice versa. */
function toolByLastSegment(name: string, tools: ToolTable): Tool | undefined {
  const segment = lastSegment(name);
  if (segment === '') return undefined;
  if (segment !== name) return tools.get(segment);
  const dotted = tools.list.filter((tool) => tool.name !== segment && lastSegment(tool.name) === segment);
  return new Set(dotted.map((tool) => tool.name)).size === 1 ? dotted[0] : undefined;
}

const lastSegment = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function foldedTool(name: string, tools: ToolTable): Tool | undefined {
  const wanted = new Set([folded(name), folded(name.replace(/^(?:functions|default_api)[.:]/, ''))]);
  wanted.delete('');
  const alike = tools.list.filter((tool) => wanted.has(folded(tool.name)));
  return new Set(alike.map((tool) => tool.name)).size === 1 ? alike[0] : undefined;
}

/** "`bash<|channel|>commentary`", "bash()" → "bash" */
function trim(name: string): string {
  const cut = name.trim().replace(/^["'`“”]+|["'`“”]+$/g, '');
  const marker = cut.search(/<[|｜]|[\s<>]/);
  return (marker > 0 ? cut.slice(0, marker) : cut)
    .replace(/["'`]+$/, '')
    .replace(/\(\)$/, '')
    .slice(0, 256);
}
