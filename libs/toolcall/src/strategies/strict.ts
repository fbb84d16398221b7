import { type Constraint, type ConstraintTag, type JsonObject, type Tool, type Turn } from '@callsmith/turn';
import type { Dialect, Fence } from '../dialect.ts';
import { carriesText, hasPlainNames } from './carries-text.ts';

/** What decides how an engine is held to the calls of a turn. */
export interface ConstraintOptions {
  /** The one tool that is to be called: the answer is that call. */
  readonly only?: string | undefined;
  /**
   * Whether reasoning stands in the model's text, and so must stay free: `opened` by the prompt, or opened by the model
   * (`text`). Absent: it is kept apart by the engine, or there is none.
   */
  readonly reasoning?: 'opened' | 'text' | undefined;
}

/**
 * How an engine is held to the calls of a turn that stand in the model's text: from the dialect's marker on to a call of
 * an offered tool with arguments that satisfy its schema. Undefined: the dialect has no marker that could not be prose,
 * no call may be made, or there is nothing to hold.
 *
 * Where arguments are raw text between tags, tools that carry text of any kind are held to their name alone.
 */
export function constraintOf(
  dialect: Dialect,
  { tools, toolChoice, parallel }: Pick<Turn, 'tools' | 'toolChoice' | 'parallel'>,
  { only, reasoning }: ConstraintOptions = {},
): Constraint | undefined {
  const { fence } = dialect;
  if (fence === undefined || toolChoice === 'none') return undefined;
  const named = only ?? (typeof toolChoice === 'object' ? toolChoice.name : undefined);
  const callable = named === undefined ? tools.list : tools.list.filter(({ name }) => name === named);
  const fences = callable.map((tool) => ({ tool, fence: fence(tool) }));
  const tags = fences.map(({ tool, fence }) => tagOf(tool, fence));
  if (tags.every(({ schema }) => schema === undefined)) return undefined;
  const block = dialect.reasoning?.[0];
  return {
    triggers: [...new Set(fences.map(({ fence }) => fence.trigger))],
    tags,
    required: named !== undefined || toolChoice === 'required',
    single: named !== undefined || !parallel,
    ...(block && reasoning && reasoningIn(block, reasoning)),
  };
}

function tagOf(tool: Tool, { begin, end, style }: Fence): ConstraintTag {
  const free = style !== 'json' && (carriesText(tool) || !hasPlainNames(tool));
  return { name: tool.name, begin, end, style, ...(!free && { schema: argumentsSchema(tool) }) };
}

/** Arguments are one object, whether or not the tool says so; a tool without parameters takes none. */
function argumentsSchema({ parameters }: Pick<Tool, 'parameters'>): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} };
  return parameters.type === 'object' ? parameters : { ...parameters, type: 'object' };
}

const reasoningIn = (
  { open, closes: [close] }: NonNullable<Dialect['reasoning']>[number],
  reasoning: 'opened' | 'text',
): Pick<Constraint, 'reasoning'> | undefined =>
  close === undefined || open === '' ? undefined : { reasoning: { open, close, opened: reasoning === 'opened' } };
