import { type Constraint, type ConstraintTag, isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** Nested schemas are followed this deep; deeper values may be any JSON. */
const deepest = 32;

/** The JSON rules of every grammar. */
const json = [
  String.raw`ws ::= "" | " " | "\n" [ \t]{0,20}`,
  String.raw`string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""`,
  'integer ::= "-"? ("0" | [1-9] [0-9]{0,15})',
  'number ::= integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?',
  'boolean ::= "true" | "false"',
  'null ::= "null"',
  'array ::= "[" ws (value ("," ws value)*)? "]" ws',
  'object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws',
  'value ::= (object | array | string | number | boolean | null) ws',
];

/**
 * A constraint as a grammar of llama.cpp (GBNF), from the trigger on. Undefined: a call is not written as JSON there,
 * and GBNF cannot express "any text but this tag".
 */
export function gbnf({ tags, single }: Constraint): string | undefined {
  if (tags.some(({ style, schema }) => style !== 'json' || schema === undefined)) return undefined;
  const grammar = new Grammar();
  const calls = tags.map((tag) => grammar.call(tag)).join(' | ');
  return [
    `root ::= ${single ? 'call' : 'call ([ \\t\\n]* call)*'}`,
    `call ::= ${calls}`,
    ...grammar.rules,
    ...json,
  ].join('\n');
}

class Grammar {
  readonly rules: string[] = [];

  /** The name of a rule for a call. */
  call({ begin, end, schema = {} }: ConstraintTag): string {
    return this.rule(`${literal(begin)} ${this.value(schema, 0)} ${end === '' ? '""' : literal(end)}`);
  }

  private rule(body: string): string {
    const name = `r${this.rules.length}`;
    this.rules.push(`${name} ::= ${body}`);
    return name;
  }

  /** The name of a rule for a value of this schema. */
  private value(schema: JsonValue | undefined, depth: number): string {
    if (!isObject(schema) || depth > deepest) return 'value';
    if (schema.const !== undefined) return this.rule(literal(JSON.stringify(schema.const)));
    if (Array.isArray(schema.enum))
      return this.rule(schema.enum.map((one) => literal(JSON.stringify(one))).join(' | '));
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches)) return this.anyOf(branches, depth);
    if (Array.isArray(schema.type))
      return this.anyOf(
        schema.type.map((type) => ({ ...schema, type })),
        depth,
      );
    switch (schema.type) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return this.array(schema, depth);
      case 'string':
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        return schema.type;
      default:
        return 'value';
    }
  }

  private anyOf(branches: readonly JsonValue[], depth: number): string {
    return this.rule(branches.map((one) => this.value(one, depth + 1)).join(' | '));
  }

  /** Members in the schema's order; each but the first present one is preceded by a comma. */
  private object({ properties, required }: JsonObject, depth: number): string {
    if (!isObject(properties)) return 'object';
    const needed = new Set(Array.isArray(required) ? required : []);
    const members = Object.entries(properties).map(([name, schema]) => ({
      rule: this.rule(`${literal(JSON.stringify(name))} ":" ws ${this.value(schema, depth + 1)} ws`),
      needed: needed.has(name),
    }));
    // Built from the last member: what may follow with a member before, and without one.
    let behind = '""';
    let first = '""';
    for (const { rule, needed } of members.reverse()) {
      const [then, begins] = [behind, first];
      behind = this.rule(needed ? `"," ws ${rule} ${then}` : `("," ws ${rule})? ${then}`);
      first = this.rule(needed ? `${rule} ${then}` : `${rule} ${then} | ${begins}`);
    }
    return this.rule(`"{" ws ${first} "}"`);
  }

  private array({ items, minItems, maxItems, prefixItems }: JsonObject, depth: number): string {
    if (prefixItems !== undefined) return 'array';
    const item = this.value(items, depth + 1);
    const least = typeof minItems === 'number' ? minItems : 0;
    const most = typeof maxItems === 'number' ? maxItems : undefined;
    if (most === 0) return this.rule('"[" ws "]"');
    const more = `("," ws ${item} ws){${Math.max(0, least - 1)},${most === undefined ? '' : most - 1}}`;
    const list = `${item} ws ${more}`;
    return this.rule(`"[" ws ${least > 0 ? list : `(${list})?`} "]"`);
  }
}

/** Text in a grammar. */
const literal = (text: string): string => JSON.stringify(text);
