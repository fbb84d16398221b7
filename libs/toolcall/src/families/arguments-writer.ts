import { parseJson } from '@callsmith/turn';
import { quoted } from '../escape.ts';
import { scalarFromText } from '../finalize/convert-value.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { allowedTypes, type JsonType, propertySchema } from '../finalize/schema.ts';
import { members } from '../json-members.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { parseWhole } from '../parse-whole.ts';
import { ParseFailure } from '../scanner.ts';
import { namesSchema } from './echoed-schema.ts';
import type { RawOutput } from './raw-value.ts';

/** The value type that a tag declares: text, JSON, or none. */
export type DeclaredType = 'text' | 'json' | undefined;

/** Writes an arguments object member by member, from raw values that are typed by the tool's schema. */
export class ArgumentsWriter {
  private count = 0;
  private readonly written = new Set<string>();
  private repeated = false;

  constructor(private readonly call: PendingCall) {}

  /** The output for the raw value of `key`. */
  rawMember(
    key: string,
    declared: DeclaredType,
  ): Omit<RawOutput, 'isCut'> & { end(value: string, emitted: boolean): void } {
    const types = this.typesOf(key);
    const begin = `${this.count++ === 0 ? '{' : ', '}${quoted(key)}: `;
    const text = types.size === 0 ? declared !== 'json' : types.has('string') && declared !== 'json';
    let begun = false;
    return {
      asString: (beginning) => {
        if (!text) return false;
        return types.has('null') && 'null'.startsWith(beginning) ? undefined : true;
      },
      emitEscaped: (escaped) => {
        this.call.write(begun ? escaped : `${begin}"${escaped}`);
        begun = true;
      },
      end: (value, emitted) => {
        if (emitted) {
          this.call.write('"');
          this.remember(key);
          return;
        }
        const json = jsonFromRaw(value, types, declared);
        this.remember(key);
        this.call.write(begin + json);
      },
    };
  }

  /** Writes a member whose value is JSON already. */
  jsonMember(key: string, json: string): void {
    this.call.write(`${this.count++ === 0 ? '{' : ', '}${quoted(key)}: ${json}`);
    this.remember(key);
  }

  typesOf(key: string): Set<JsonType> {
    const root = this.call.tool?.parameters;
    return root ? allowedTypes(propertySchema(root, root, key), root) : new Set();
  }

  has(key: string): boolean {
    return this.written.has(key);
  }

  /**
   * Closes the object. Repeated values of a list parameter become one list. If the members are a tool's declaration, it
   * fails with `not-a-call`.
   */
  end(): void {
    if (!this.call.streaming && namesSchema(this.written, this.call.tool)) throw new ParseFailure('not-a-call');
    this.call.write(this.count === 0 ? '{}' : '}');
    if (!this.repeated || this.call.streaming) return;
    const json = this.call.parts.text();
    const byKey = new Map<string, string[]>();
    for (const { key, from, to } of members(json)) {
      const values = byKey.get(key);
      if (values) values.push(json.slice(from, to));
      else byKey.set(key, [json.slice(from, to)]);
    }
    const whole = [...byKey].map(([key, values]) => {
      const many = values.length > 1 && this.typesOf(key).has('array');
      return `${quoted(key)}: ${many ? `[${values.map(unlisted).join(', ')}]` : values.at(-1)}`;
    });
    this.call.repairWhole('collect-repeated');
    this.call.rewrite(`{${whole.join(', ')}}`);
  }

  private remember(key: string): void {
    if (this.written.has(key) && this.typesOf(key).has('array')) this.repeated = true;
    this.written.add(key);
  }
}

const unlisted = (json: string): string => (json.startsWith('[') ? json.slice(1, -1).trim() : json);

/** Converts a raw value to JSON by the types that the schema allows; a value that fits none of them stays text. */
export function jsonFromRaw(raw: string, types: ReadonlySet<JsonType>, declared: DeclaredType): string {
  const trimmed = raw.trim();
  if (declared === 'json') {
    const json = parseWhole(trimmed) === undefined ? parseLooseJson(trimmed)?.json : trimmed;
    if (json !== undefined) return types.has('string') && types.size === 1 && !/^["{[]/.test(json) ? quoted(raw) : json;
  }
  if (types.size === 0) return quoted(raw);
  if (types.has('null') && (trimmed === 'null' || (trimmed === 'None' && !types.has('string')))) return 'null';
  if (types.has('string')) return quoted(raw);
  if (types.has('boolean') && types.size === 1 && (trimmed === '1' || trimmed === '0'))
    return trimmed === '1' ? 'true' : 'false';
  const scalar = scalarFromText(trimmed, types);
  if (scalar !== undefined) return scalar;
  if ((types.has('object') && trimmed[0] === '{') || (types.has('array') && trimmed[0] === '[')) {
    const json =
      parseWhole(trimmed) === undefined
        ? (parseLooseJson(trimmed) ?? parseLooseJson(trimmed, undefined, false, true))?.json
        : trimmed;
    if (json !== undefined) return json;
  }
  // `"true"`, `"{\"a\": 1}"`: a value of another type in quotes, as in JSON.
  const inner = trimmed[0] === '"' ? parseJson(trimmed) : undefined;
  if (typeof inner === 'string' && inner[0] !== '"') return jsonFromRaw(inner, types, declared);
  return quoted(raw);
}
