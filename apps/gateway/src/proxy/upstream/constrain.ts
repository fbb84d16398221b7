import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { accepts, type ConstraintField, engineConstraints, type Target } from '@callsmith/protocols';
import { constraintOf, type Dialect, dialectNamed } from '@callsmith/toolcall';
import { type Constraint, isObject, type JsonObject, type Tool, ToolTable, type Turn } from '@callsmith/turn';
import { withSimpleSchemas } from './retreat-turn.ts';

/** How an engine's output is constrained to calls in one request, and what the constraint ensures. */
export interface Constrained {
  /**
   * The constraint's name in lessons: `strict` for native tools, otherwise the member of the request that carries it.
   */
  readonly field: string;
  /** Members that are added to the request. */
  readonly members: JsonObject;
  /** The dialect of the calls in the text; undefined: the calls are native. */
  readonly dialect?: Dialect;
  /** The schema that each tool's arguments satisfy if the engine applies it; tools that are not listed are not constrained. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** The constraint makes the model call a tool. */
  readonly required: boolean;
}

/** The name of native constraints in lessons. */
const strict = 'strict';

/** The route's members that decide which constraints are available. */
type ConstraintTarget = Pick<Route, 'upstream' | 'constraints'>;

const isIgnored = ({ constraints }: ConstraintTarget, field: string): boolean => constraints?.[field] === false;

/**
 * True if native calls can be constrained on this route: the engine always does it, or does it for tools with `strict`.
 */
export function constrainsNative(place: ConstraintTarget, { capabilities }: Pick<ModelEntry, 'capabilities'>): boolean {
  const { native } = engineConstraints(place.upstream.kind, place.upstream.engineVersion);
  if (native === 'always') return true;
  return native !== 'never' && capabilities?.strict !== false && !isIgnored(place, strict);
}

/**
 * Sets `strict` on a turn's native tools. Returns the changed turn and what the constraint ensures; undefined if no
 * tool can be strict there.
 */
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

/** True if a schema may be `strict` at OpenAI's own service: every object is closed and every property required. */
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

/** The options of `textConstraint`. */
export interface TextConstraintOptions {
  readonly model: Pick<ModelEntry, 'reasoningPrefilled'>;
  /** The dialect in which the prompt describes the tools. */
  readonly dialect: Dialect;
  readonly target: Target;
  /** The only tool that may be called; absent: all offered ones. */
  readonly only?: string | undefined;
  /** Uses only fields that are known to work, none that was never tried. */
  readonly proved?: boolean;
}

/**
 * Chooses how to constrain calls in text: the first field of the engine that is not known to be ignored and that can
 * express the constraint; fields known to work come first. Undefined if there is none, or if the client constrains the
 * response itself.
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
    schemas: schemasIn(constraint),
    required: constraint.required,
  };
}

const schemasIn = ({ tags }: Constraint): ReadonlyMap<string, JsonObject> =>
  new Map(tags.flatMap(({ name, schema }) => (schema ? [[name, schema] as const] : [])));

/** True if the server accepts these members and the client does not constrain the response itself. */
const mayHold = (members: JsonObject, { sampling }: Turn, target: Target): boolean =>
  Object.keys(members).every((name) => accepts(target, name)) &&
  constraintFields.every((name) => sampling[name] === undefined);

const constraintFields = [
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

/** The dialect of a field that constrains the whole response to JSON: the object has the call's name and arguments. */
const bareJson = dialectNamed('bare-json') as Dialect;
/**
 * The dialect from which the constraint of a whole response is made; every dialect with JSON arguments gives the same
 * one.
 */
const framed = dialectNamed('hermes') as Dialect;
