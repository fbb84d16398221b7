import type { Call } from './answer.ts';
import { fillArguments, propertiesOf } from './arguments.ts';
import type { Conversation } from './conversation.ts';
import type { OfferedTool } from './offered-tool.ts';

const ordinary = new Set(
  'get set read write file files run list search tool tools task todo use call create update delete edit find show open make ask question skill plan new code text web fetch view patch apply command commands user bash shell team send status code'.split(
    ' ',
  ),
);

/** Calls of a small tool such as `get_weather` whose name's words are in the request; none once it was called. */
export function smallToolCalls(conversation: Conversation, tools: readonly OfferedTool[], parallel: boolean): Call[] {
  const tool = tools.find((each) => speaksOf(conversation.task, each.name));
  if (tool === undefined) return [];
  if (/\bask me\b/i.test(conversation.task)) return [];
  const names = properNames(conversation.task.slice(0, 4_000));
  const strings = propertiesOf(tool.schema).filter(
    ([, property]) => property.type === 'string' && property.enum === undefined,
  );
  const values = strings.length === 1 && names.length > 1 ? names.map((name) => [name]) : [names];
  const done = conversation.exchanges.filter((exchange) => exchange.call.includes(tool.name)).length;
  const open = values.slice(done);
  return (parallel ? open : open.slice(0, 1)).map((stringValues) => ({
    name: tool.name,
    arguments: fillArguments(tool.schema, {
      task: conversation.task,
      purpose: conversation.task.slice(0, 80),
      strings: stringValues,
      numbers: [...conversation.task.matchAll(/-?\b\d+(?:\.\d+)?\b/g)].slice(0, 20).map((match) => Number(match[0])),
    }),
  }));
}

function speaksOf(task: string, name: string): boolean {
  const lowerTask = task.slice(0, 4000).toLowerCase();
  if (lowerTask.includes(name.toLowerCase()) && name.length > 4) return true;
  const telling = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !ordinary.has(word));
  return telling.some((word) => new RegExp(`\\b${word}`).test(lowerTask));
}

/**
 * Quoted text in the request, else the capitalized words after a preposition: "the weather in Paris, Berlin and New
 * York".
 */
function properNames(task: string): string[] {
  const quoted = [...task.matchAll(/"([^"\n]+)"|`([^`\n]+)`/g)].map((match) => match[1] ?? match[2] ?? '');
  if (quoted.length > 0) return quoted;
  const name = /\p{Lu}[\p{L}-]+(?:\s\p{Lu}[\p{L}-]+)*/u.source;
  const list = new RegExp(
    `\\b(?:in|for|of|at|to|from|about)\\s+(${name}(?:(?:,\\s*(?:and\\s+)?|\\s+and\\s+)${name})*)`,
    'u',
  ).exec(task)?.[1];
  return list === undefined ? [] : list.split(/,\s*(?:and\s+)?|\s+and\s+/);
}
