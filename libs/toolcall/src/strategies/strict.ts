import { type Constraint, type ConstraintTag, type JsonObject, type Tool, type Turn } from '@callsmith/turn';
import type { Dialect, Fence } from '../dialect.ts';
import { carriesText, hasPlainNames } from './carries-text.ts';

/** What decides how an engine constrains the calls of a turn. */
export interface ConstraintOptions {
  /** The only tool that may be called; the answer is that call. */
  readonly only?: string | undefined;
  /**
   * Set if the model's text contains reasoning, which must stay unconstrained: `opened` by the prompt, or opened by the
   * model (`text`). Absent: the engine separates it, or there is none.
   */
  readonly reasoning?: 'opened' | 'text' | undefined;
}

/**
 * The constraint for the calls in the model's text: what follows the dialect's marker must be a call of an offered tool
 * with arguments that satisfy its schema. Undefined: the dialect has no marker that cannot be prose, no call may be
 * made, or there is nothing to constrain.
 *
 * Where arguments are raw text between tags, tools that take arbitrary text are constrained by name alone.
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

/** Arguments are one object even if the schema does not require it; a tool without parameters takes none. */
function argumentsSchema({ parameters }: Pick<Tool, 'parameters'>): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} };
  return parameters.type === 'object' ? parameters : { ...parameters, type: 'object' };
}

const reasoningIn = (
  { open, closes: [close] }: NonNullable<Dialect['reasoning']>[number],
  reasoning: 'opened' | 'text',
): Pick<Constraint, 'reasoning'> | undefined =>
  close === undefined || open === '' ? undefined : { reasoning: { open, close, opened: reasoning === 'opened' } };
