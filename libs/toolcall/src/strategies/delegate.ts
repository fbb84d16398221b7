import {
  isObject,
  type JsonValue,
  type Message,
  type PastCall,
  parseJson,
  type Tool,
  ToolTable,
  type Turn,
  textOf,
} from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { toolJson } from '../families/tool-prompt.ts';

const deciding = (dialect: Dialect): Dialect => ({
  ...dialect,
  name: `${dialect.name} (decides)`,
  renderToolPrompt: (tools) =>
    [
      '# Tools',
      '',
      'Another model makes the tool calls for you. Each line is one tool that it can call, with its parameters as a JSON schema:',
      '<tools>',
      ...tools.list.map(toolJson),
      '</tools>',
      '',
      'Decide in your own words. Where tools are to be called now, end your answer with one line for each call:',
      'CALL tool_name: every value that the call needs',
      'A long value, such as the text of a file, stands in a fenced code block before these lines; say which block is meant.',
      'Where no tool is needed, give your answer and end it with the line:',
      'ANSWER',
      '',
      'Rules:',
      '- Use only tools from the list, by their exact names, and give every required value.',
      '- Never write the result of a call yourself; it will be given to you.',
    ].join('\n'),
});

const made = new Map<Dialect, Dialect>();

/**
 * A dialect in which a model is told of its tools and not how to call one: it says what it wants, and another model writes
 * the calls. The past is written as ever.
 */
export function decidingDialect(dialect: Dialect): Dialect {
  const cached = made.get(dialect) ?? deciding(dialect);
  made.set(dialect, cached);
  return cached;
}

/** What a model decided, for the one that writes its calls. */
export interface Decision {
  /** All that it said; of a model that said nothing, the end of its reasoning. */
  readonly text: string;
  /** The turn before it was prepared for its strategy. */
  readonly clientTurn: Turn;
  /** What was wrong with the calls that were written for it before. */
  readonly problem?: string | undefined;
}

/** A request for the calls that another model decided on, and what its long values stand for. */
export interface DelegatedTurn {
  readonly turn: Turn;
  /** The text of each fenced block, by the reference that stands for it: `@1`. */
  readonly blocks: ReadonlyMap<string, string>;
  /** What its calls may be made of. */
  readonly passed: string;
}

/** The tool by which a model says that no call was decided on. */
const noCall: Tool = {
  name: 'no_call',
  description: 'The text asks for no tool call.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

const mostTools = 20;
const longestUserText = 2000;

/** Characters of a decision, from its end, that are passed. */
const longestDecision = 256 * 1024;

/** A text with a reference in the place of each fenced block. */
function withReferences(text: string): { readonly short: string; readonly blocks: ReadonlyMap<string, string> } {
  const blocks = new Map<string, string>();
  const lines = text.split('\n');
  const kept: string[] = [];
  let opened: { readonly fence: string; readonly at: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const [, fence = ''] = /^\s*(```|~~~)/.exec(line) ?? [];
    if (opened === undefined) {
      if (fence === '') kept.push(line);
      else opened = { fence, at };
    } else if (line.trim() === opened.fence) {
      const block = lines.slice(opened.at + 1, at).join('\n');
      blocks.set(`@${blocks.size + 1}`, block);
      kept.push(`[@${blocks.size}: a text of ${block.length} characters]`);
      opened = undefined;
    }
  }
  // A block that never ends is text.
  if (opened) kept.push(...lines.slice(opened.at));
  return { short: kept.join('\n'), blocks };
}

/** The request that turns a decision into calls. It carries no more of the conversation than calls are made of. */
export function delegatedTurn({ text, clientTurn, problem }: Decision): DelegatedTurn {
  const { short, blocks } = withReferences(text.slice(-longestDecision));
  const lastUser = clientTurn.messages.findLast(({ role }) => role === 'user');
  const results = clientTurn.messages.filter(({ role }) => role === 'tool').slice(-2);
  const places = [...new Set(results.flatMap(placesIn))].slice(0, 40);
  const parts = [
    lastUser && `What the user said last:\n${textOf(lastUser.content).slice(-longestUserText)}`,
    places.length > 0 && `Names in the last results:\n${places.join('\n')}`,
    `What was decided:\n${short}`,
    blocks.size > 0 &&
      `A text in brackets stands for a long value: where it is a whole argument, write its reference alone, e.g. "@1".`,
  ].filter((part) => typeof part === 'string');
  const passed = parts.join('\n\n');
  const tools = clientTurn.tools.list.filter(({ name }) => name !== noCall.name);
  const named = tools.filter(({ name }) => short.includes(name));
  const offered = (named.length > 0 ? named : tools).slice(0, mostTools);
  const turn: Turn = {
    model: clientTurn.model,
    messages: [
      {
        role: 'system',
        content: `Write the tool calls that were decided on, each once, with the values that stand in the text and no others. Where no call was decided on, call ${noCall.name}.`,
      },
      { role: 'user', content: problem === undefined ? passed : `${passed}\n\n${problem}` },
    ],
    tools: new ToolTable([...offered, noCall]),
    toolChoice: 'required',
    parallel: clientTurn.parallel,
    stream: false,
    includeUsage: false,
    n: 1,
    sampling: {},
  };
  return { turn, blocks, passed };
}

/** Paths, addresses and identifiers in a result. */
const placesIn = (message: Message): string[] =>
  textOf(message.content)
    .slice(0, 20_000)
    .match(/[\w.:~-]{0,200}\/[\w./:~-]{1,300}|\b(?=\w{0,64}\d)[\w-]{6,64}\b/g)
    ?.slice(0, 20) ?? [];

/** The calls that were written for a decision, or why they cannot be taken. */
export type DelegatedCalls =
  | { readonly calls: readonly Pick<PastCall, 'name' | 'arguments'>[] }
  | { readonly problem: string };

/** Characters from which on a value must stand in what was passed. */
const longestOwn = 20;

/**
 * Puts the long values in their places and leaves `no_call` out. A value of more than 20 characters that was not passed was
 * made up: then it is said which.
 */
export function delegatedCalls(
  written: readonly Pick<PastCall, 'name' | 'arguments'>[],
  { blocks, passed }: DelegatedTurn,
): DelegatedCalls {
  const calls: Pick<PastCall, 'name' | 'arguments'>[] = [];
  for (const { name, arguments: json } of written) {
    if (name === noCall.name) continue;
    const value = parseJson(json);
    if (!isObject(value)) return { problem: `The arguments of ${name} were no JSON object.` };
    const foreign = foreignText(value, passed, blocks);
    if (foreign !== undefined)
      return {
        problem: `The value ${JSON.stringify(foreign.slice(0, 80))} stands nowhere in the text. Take only what stands there.`,
      };
    calls.push({ name, arguments: JSON.stringify(spliced(value, blocks)) });
  }
  return { calls };
}

function foreignText(value: JsonValue, passed: string, blocks: DelegatedTurn['blocks']): string | undefined {
  if (typeof value === 'string')
    return value.length <= longestOwn || blocks.has(value) || passed.includes(value) ? undefined : value;
  if (value === null || typeof value !== 'object') return undefined;
  for (const one of Object.values(value)) {
    const found = foreignText(one as JsonValue, passed, blocks);
    if (found !== undefined) return found;
  }
  return undefined;
}

function spliced(value: JsonValue, blocks: DelegatedTurn['blocks']): JsonValue {
  if (typeof value === 'string') return blocks.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => spliced(one, blocks));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spliced(one as JsonValue, blocks)]));
}
