import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { accepts, type ConstraintField, engineConstraints, type Target } from '@callsmith/protocols';
import { constraintOf, type Dialect, dialectNamed } from '@callsmith/toolcall';
import { type Constraint, isObject, type JsonObject, type Tool, ToolTable, type Turn } from '@callsmith/turn';
import { withSimpleSchemas } from './retreat-turn.ts';

/** How an engine is held to calls in one request, and what it is held to. */
export interface Constrained {
  /** Its name in lessons: `strict` of native tools, or a member of the request. */
  readonly field: string;
  /** Further members of the request. */
  readonly members: JsonObject;
  /** The dialect in which the calls stand; undefined: they are native. */
  readonly dialect?: Dialect;
  /** The schema that each tool's arguments satisfy if the engine applies it; tools that are not listed are not constrained. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** A call must come. */
  readonly required: boolean;
}

/** The name of native constraints in lessons. */
const strict = 'strict';

/** What a turn for constrained calls is sent to. */
type ConstraintTarget = Pick<Route, 'upstream' | 'constraints'>;

const isIgnored = ({ constraints }: ConstraintTarget, field: string): boolean => constraints?.[field] === false;

/** True if this model's native calls are held there: by the engine itself, or where its tools say `strict`. */
export function constrainsNative(place: ConstraintTarget, { capabilities }: Pick<ModelEntry, 'capabilities'>): boolean {
  const { native } = engineConstraints(place.upstream.kind, place.upstream.engineVersion);
  if (native === 'always') return true;
  return native !== 'never' && capabilities?.strict !== false && !isIgnored(place, strict);
}

/** A turn whose native tools say `strict`, and what that holds; undefined: nothing would be held. */
export function nativeConstraint(
  place: ConstraintTarget,
  model: Pick<ModelEntry, 'capabilities'>,
  target: Target,
  turn: Turn,
): { readonly turn: Turn; readonly constrained: Constrained } | undefined {
  const { native } = engineConstraints(place.upstream.kind, place.upstream.engineVersion);
  if (native === 'always' || !constrainsNative(place, model) || !accepts(target, strict)) return undefined;
  if (turn.tools.size === 0 || turn.toolChoice === 'none') return undefined;
  const { tools } = native === 'strict' ? withSimpleSchemas(turn) : turn;
  const list = tools.list.map((tool) => (native === 'strict' || isClosed(tool.parameters) ? asStrict(tool) : tool));
  const held = list.filter((tool) => tool.strict === true);
  if (held.length === 0) return undefined;
  return {
    turn: { ...turn, tools: new ToolTable(list) },
    constrained: { field: strict, members: {}, schemas: schemasOf(held), required: isRequired(turn) },
  };
}

const asStrict = (tool: Tool): Tool => ({ ...tool, strict: true });

/** OpenAI's own service takes `strict` only where every object is closed and every property required. */
function isClosed(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { properties, required, additionalProperties } = schema;
  if (isObject(properties)) {
    const names = Object.keys(properties);
    if (additionalProperties !== false || !Array.isArray(required)) return false;
    if (!names.every((name) => required.includes(name))) return false;
    return names.every((name) => isClosed(properties[name]));
  }
  if (schema.type === 'object') return false;
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return isClosed(schema.items) && branches.every(isClosed);
}

const isRequired = ({ toolChoice }: Turn): boolean => toolChoice === 'required' || typeof toolChoice === 'object';

const schemasOf = (tools: readonly Tool[]): ReadonlyMap<string, JsonObject> =>
  new Map(tools.map(({ name, parameters }) => [name, parameters ?? { type: 'object' }]));

/** What decides how calls in text are held. */
export interface TextConstraintOptions {
  readonly model: Pick<ModelEntry, 'reasoningPrefilled'>;
  /** The dialect in which the prompt describes the tools. */
  readonly dialect: Dialect;
  readonly target: Target;
  /** The one tool that is to be called. */
  readonly only?: string | undefined;
  /** Only a field that is known to work is used, not one that was never tried. */
  readonly proved?: boolean;
}

/**
 * How calls in text are held there: by the first of the engine's fields that is not known to be ignored and can say it,
 * those that are known to work first. Undefined: none works, or the client constrains the answer itself.
 */
export function textConstraint(
  place: ConstraintTarget,
  turn: Turn,
  { model, dialect, target, only, proved = false }: TextConstraintOptions,
): Constrained | undefined {
  const { fields } = engineConstraints(place.upstream.kind, place.upstream.engineVersion);
  const seen = fields.filter(({ name }) => place.constraints?.[name] === true);
  const unknown = proved ? [] : fields.filter(({ name }) => place.constraints?.[name] === undefined);
  const candidates = [...seen, ...unknown];
  if (candidates.length === 0 || turn.tools.size === 0) return undefined;
  const simple = withSimpleSchemas(turn);
  for (const field of candidates) {
    const constrained = byField(field, simple, { model, dialect, only });
    if (constrained && mayHold(constrained.members, turn, target)) return constrained;
  }
  return undefined;
}

function byField(
  field: ConstraintField,
  turn: Turn,
  { model, dialect, only }: Pick<TextConstraintOptions, 'model' | 'dialect' | 'only'>,
): Constrained | undefined {
  const whole = field.holds === 'answer';
  const prefilled = model.reasoningPrefilled?.value;
  const reasoning = prefilled === undefined ? undefined : prefilled ? 'opened' : 'text';
  const constraint = constraintOf(whole ? framed : dialect, turn, { only, reasoning });
  const members = constraint && field.members(constraint);
  if (constraint === undefined || members === undefined) return undefined;
  return {
    field: field.name,
    members,
    dialect: whole ? bareJson : dialect,
    schemas: heldIn(constraint),
    required: constraint.required,
  };
}

const heldIn = ({ tags }: Constraint): ReadonlyMap<string, JsonObject> =>
  new Map(tags.flatMap(({ name, schema }) => (schema ? [[name, schema] as const] : [])));

/** A client that holds the answer itself knows what it wants. */
const mayHold = (members: JsonObject, { sampling }: Turn, target: Target): boolean =>
  Object.keys(members).every((name) => accepts(target, name)) && ours.every((name) => sampling[name] === undefined);

const ours = [
  'structured_outputs',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'grammar',
  'json_schema',
  'regex',
  'ebnf',
  'format',
];

/** An answer that is JSON as a whole is the call's name and arguments. */
const bareJson = dialectNamed('bare-json') as Dialect;
/** Which tools may be called is the same for every dialect with JSON arguments. */
const framed = dialectNamed('hermes') as Dialect;
