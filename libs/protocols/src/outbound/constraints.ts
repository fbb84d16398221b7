import type { Constraint, ConstraintTag, JsonObject, UpstreamKind } from '@callsmith/turn';
import { gbnf } from './gbnf.ts';

/** Members of a request that constrain an engine to calls in its model's text. */
export interface ConstraintField {
  /** Its lesson name. */
  readonly name: string;
  /**
   * What is constrained: a call after its marker, with free text before; or the whole response, which is then JSON and
   * a call.
   */
  readonly holds: 'calls' | 'answer';
  /** The members for a constraint; undefined: it cannot be expressed. */
  members(constraint: Constraint): JsonObject | undefined;
  /** The members that allow only this word as the response, in quotes if it is JSON. */
  singleWord(word: string): JsonObject;
}

/** How a kind of engine is constrained to calls. */
export interface EngineConstraints {
  /**
   * Native calls: constrained if a tool says `strict`; if its schema is also closed, with every property required
   * (`strict-closed`); by the engine itself (`always`); or not.
   */
  readonly native: 'strict' | 'strict-closed' | 'always' | 'never';
  /** For calls in text, sent without `tools`; the first that is not known to be ignored is used. */
  readonly fields: readonly ConstraintField[];
}

/** vLLM since 0.12. */
const structuredOutputs: ConstraintField = {
  name: 'structured_outputs',
  holds: 'calls',
  members: (constraint) => ({
    structured_outputs: {
      structural_tag: JSON.stringify({ type: 'structural_tag', format: structuralTag(constraint) }),
    },
  }),
  singleWord: (word) => ({
    structured_outputs: { structural_tag: JSON.stringify({ type: 'structural_tag', format: wordFormat(word) }) },
  }),
};

/** xgrammar's structural tags as a format of the answer: SGLang, and vLLM beside its own member. */
const structuralTagFormat: ConstraintField = {
  name: 'response_format.structural_tag',
  holds: 'calls',
  members: (constraint) => ({ response_format: { type: 'structural_tag', format: structuralTag(constraint) } }),
  singleWord: (word) => ({ response_format: { type: 'structural_tag', format: wordFormat(word) } }),
};

/** The same before xgrammar 0.1.24: JSON arguments only, and a call cannot be required. */
const structures: ConstraintField = {
  name: 'response_format.structures',
  holds: 'calls',
  members: ({ tags, triggers, reasoning }) => {
    const held = tags.filter(({ style, schema }) => style === 'json' && schema !== undefined);
    if (held.length < tags.length || reasoning !== undefined) return undefined;
    const each = held.map(({ begin, end, schema }) => ({ begin, schema: schema as JsonObject, end }));
    return { response_format: { type: 'structural_tag', structures: each, triggers: [...triggers] } };
  },
  // Free text would be a valid response, so the older form is tested with a whole-response constraint.
  singleWord: (word) => ({ response_format: jsonSchemaFormat('word', { type: 'string', const: word }) }),
};

/**
 * llama.cpp: a grammar that starts at its trigger, which reasoning may precede; one for the whole response would cut
 * reasoning off.
 */
const grammar: ConstraintField = {
  name: 'grammar',
  holds: 'calls',
  members: (constraint) => {
    const text = gbnf(constraint);
    if (text === undefined) return undefined;
    const waits = !constraint.required || constraint.reasoning !== undefined;
    const { triggers } = constraint;
    if (!waits) return { grammar: text };
    return {
      grammar: text,
      grammar_lazy: true,
      grammar_triggers: triggers.map((value) => ({ type: 1, value })),
      preserved_tokens: [...triggers],
    };
  },
  singleWord: (word) => ({ grammar: `root ::= ${JSON.stringify(JSON.stringify(word))}` }),
};

/** Ollama and LM Studio constrain the whole response or nothing, so only if a call is required. */
const jsonSchema: ConstraintField = {
  name: 'response_format.json_schema',
  holds: 'answer',
  members: (constraint) => wholeAnswer(constraint, (schema) => ({ response_format: jsonSchemaFormat('call', schema) })),
  singleWord: (word) => ({ response_format: jsonSchemaFormat('word', { type: 'string', const: word }) }),
};

/** Ollama's own name for it. */
const format: ConstraintField = {
  name: 'format',
  holds: 'answer',
  members: (constraint) => wholeAnswer(constraint, (schema) => ({ format: schema })),
  singleWord: (word) => ({ format: { type: 'string', const: word } }),
};

const newest: Readonly<Record<UpstreamKind, EngineConstraints>> = {
  vllm: { native: 'strict', fields: [structuredOutputs, structuralTagFormat] },
  sglang: { native: 'strict', fields: [structuralTagFormat, structures] },
  llamacpp: { native: 'always', fields: [grammar] },
  ollama: { native: 'never', fields: [jsonSchema, format] },
  lmstudio: { native: 'always', fields: [jsonSchema] },
  openai: { native: 'strict-closed', fields: [] },
};

/** vLLM before 0.12: `strict` of tools is ignored. */
const oldVllm: EngineConstraints = { native: 'never', fields: [structures] };

/** How an engine of this kind, and version if known, is constrained to calls. */
export const engineConstraints = (kind: UpstreamKind, version: string | undefined): EngineConstraints =>
  kind === 'vllm' && isBefore012(version) ? oldVllm : newest[kind];

function isBefore012(version: string | undefined): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return major === '0' && Number(minor) < 12;
}

/** A constraint in xgrammar's form: https://xgrammar.mlc.ai/docs/tutorials/structural_tag.html */
function structuralTag({ triggers, tags, required, single, reasoning }: Constraint): JsonObject {
  const calls: JsonObject = {
    type: 'triggered_tags',
    triggers: [...triggers],
    tags: tags.map(tagOf),
    ...(required && { at_least_one: true }),
    ...(single && { stop_after_first: true }),
  };
  if (reasoning === undefined) return calls;
  const { open, close, opened } = reasoning;
  const thoughts: JsonObject = { type: 'tag', begin: opened ? '' : open, content: { type: 'any_text' }, end: close };
  return { type: 'sequence', elements: [opened ? thoughts : { type: 'optional', content: thoughts }, calls] };
}

const tagOf = ({ begin, end, schema, style }: ConstraintTag): JsonObject => ({
  type: 'tag',
  begin,
  content:
    schema === undefined
      ? { type: 'any_text' }
      : { type: 'json_schema', json_schema: schema, ...(style !== 'json' && { style }) },
  end,
});

const wordFormat = (word: string): JsonObject => ({
  type: 'json_schema',
  json_schema: { type: 'string', const: word },
});

/** `{"name": …, "arguments": {…}}`: it allows no free text, so it is not used if the model may answer in words. */
function wholeAnswer(
  { tags, required, reasoning }: Constraint,
  write: (schema: JsonObject) => JsonObject,
): JsonObject | undefined {
  if (!required || reasoning !== undefined) return undefined;
  const calls = tags.map(
    ({ name, schema }): JsonObject => ({
      type: 'object',
      properties: { name: { const: name }, arguments: schema ?? { type: 'object' } },
      required: ['name', 'arguments'],
      additionalProperties: false,
    }),
  );
  return write(calls.length === 1 ? (calls[0] as JsonObject) : { anyOf: calls });
}

const jsonSchemaFormat = (name: string, schema: JsonObject): JsonObject => ({
  type: 'json_schema',
  json_schema: { name, strict: true, schema },
});
