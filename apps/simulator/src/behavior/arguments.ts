import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** What the model fills a tool's arguments with. */
export interface Intent {
  /** The request, for free text. */
  readonly task: string;
  /** One sentence on what this call is for. */
  readonly purpose: string;
  readonly path?: string;
  readonly content?: string;
  readonly command?: string;
  /** A patch in the `*** Begin Patch` form. */
  readonly patch?: string;
  /** The working directory, if the prompt names it. */
  readonly cwd?: string;
  /** Strings and numbers of the request, consumed in order. */
  readonly strings?: readonly string[];
  readonly numbers?: readonly number[];
  /** The preferred value of an enumeration such as `command: create | view`. */
  readonly verb?: string;
}

/** Fills the arguments that a tool's schema requires, and the optional ones that the intent has values for. */
export function fillArguments(schema: JsonObject, intent: Intent): JsonObject {
  const filler = new Filler(intent);
  const filled = filler.object(resolve(schema));
  return filled;
}

/** True if a property of this name and description holds a path. */
export const isPathName = (name: string): boolean =>
  /(?:^|_)(?:file_?)?path$|filepath$|^file(?:_?name)?$|^target_?file$|^absolute_?path$|^paths$|^files$/i.test(
    snake(name),
  );
/** True if a property of this name holds the text of a file. */
export const isContentName = (name: string): boolean =>
  /^(?:content|contents|file_text|new_text|new_content|text|body|code|data)$/i.test(snake(name));
/** True if a property of this name holds a shell command. */
export const isCommandName = (name: string): boolean =>
  /^(?:command|commands|cmd|script|command_line|code)$/i.test(snake(name));
/** True if a property of this name holds a patch. */
export const isPatchName = (name: string): boolean => /^(?:input|patch|patch_text|diff)$/i.test(snake(name));

const snake = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();

/** The properties of an object schema, in order. */
export function propertiesOf(schema: JsonObject): [string, JsonObject][] {
  const found = resolve(schema).properties;
  if (!isObject(found)) return [];
  return Object.entries(found).map(([name, value]) => [name, isObject(value) ? value : {}]);
}

/** An `anyOf`, `oneOf` or `allOf` at the root is read as its first object. */
function resolve(schema: JsonObject): JsonObject {
  if (isObject(schema.properties)) return schema;
  const branch = branches(schema).find((each) => isObject(each.properties));
  return branch ?? schema;
}

const branches = (schema: JsonObject): JsonObject[] =>
  ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key].filter(isObject) : []));

class Filler {
  private nextString = 0;
  private nextNumber = 0;

  constructor(private readonly intent: Intent) {}

  object(schema: JsonObject): JsonObject {
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const filled: JsonObject = {};
    for (const [name, property] of propertiesOf(schema)) {
      const about = this.intentValue(name, property);
      if (about !== undefined) filled[name] = about;
      else if (required.includes(name)) filled[name] = this.value(name, property);
    }
    return filled;
  }

  /** The intent's value for this property, in the shape that the property requires. */
  private intentValue(name: string, property: JsonObject): JsonValue | undefined {
    const types = typesOf(property);
    const item = isObject(property.items)
      ? property.items
      : branches(property)
          .map((each) => each.items)
          .find(isObject);
    if (types.has('array') && item !== undefined && this.means(name) !== undefined) {
      // {"files":[{"path":…}]} as well as {"paths":[…]}; a shell that takes a list of words gets one
      if (isObject(resolve(item).properties)) return [this.object(resolve(item))];
      const single = this.means(name);
      if (single === undefined) return undefined;
      if (this.intent.command !== undefined && snake(name) === 'command') return ['bash', '-lc', this.intent.command];
      return [single];
    }
    if (!types.has('string') && types.size > 0) return undefined;
    if (this.intent.verb !== undefined && enumOf(property).includes(this.intent.verb)) return this.intent.verb;
    if (enumOf(property).length > 0) return undefined;
    const text = this.means(name);
    if (text === undefined) return undefined;
    return isPathName(name) ? this.fitPath(name, text, property) : text;
  }

  private means(name: string): string | undefined {
    if (isPathName(name)) return this.intent.path;
    if (this.intent.patch !== undefined && isPatchName(name)) return this.intent.patch;
    if (isCommandName(name) && this.intent.command !== undefined) return this.intent.command;
    if (isContentName(name)) return this.intent.content;
    return undefined;
  }

  private fitPath(name: string, text: string, property: JsonObject): string {
    const description = String(property.description ?? '');
    // "The absolute path … Relative paths are not supported", but not "absolute or relative".
    const either = /absolute or relative|relative or absolute|relative to|not (?:be )?absolute/i.test(description);
    const absolute = /absolute/i.test(name) || (/absolute/i.test(description) && !either);
    if (!absolute || this.intent.cwd === undefined || /^(?:[/~]|[A-Za-z]:)/.test(text)) return text;
    return `${this.intent.cwd.replace(/\/$/, '')}/${text}`;
  }

  private value(name: string, property: JsonObject): JsonValue {
    const members = enumOf(property);
    if (members.length > 0)
      return (
        members.find((member) => this.intent.task.toLowerCase().includes(String(member).toLowerCase())) ??
        members[0] ??
        null
      );
    if (property.default !== undefined) return property.default;
    const types = typesOf(property);
    if (types.has('null')) return null;
    if (types.has('boolean')) return false;
    if (types.has('integer') || types.has('number')) return this.number(property);
    if (types.has('array')) return this.array(name, property);
    if (types.has('object')) return this.object(resolve(property));
    return this.string(name, property);
  }

  private number(property: JsonObject): number {
    const requested = this.intent.numbers?.[this.nextNumber++];
    if (requested !== undefined) return requested;
    return typeof property.minimum === 'number' ? property.minimum : 1;
  }

  private array(name: string, property: JsonObject): JsonValue[] {
    const item = isObject(property.items) ? property.items : {};
    return [this.value(name, item)];
  }

  private string(name: string, property: JsonObject): string {
    if (/cwd|workdir|working_?dir|directory/i.test(name)) return this.intent.cwd ?? '.';
    if (/description|explanation|reason|purpose|justification|title|thought|summary/i.test(name))
      return this.intent.purpose;
    const text =
      this.intent.strings?.[this.nextString++] ?? this.intent.strings?.at(-1) ?? this.intent.task.slice(0, 200);
    const longest = typeof property.maxLength === 'number' ? property.maxLength : text.length;
    return text.slice(0, longest);
  }
}

function typesOf(schema: JsonObject): Set<string> {
  const own = Array.isArray(schema.type)
    ? schema.type.map(String)
    : schema.type === undefined
      ? []
      : [String(schema.type)];
  return new Set([...own, ...branches(schema).flatMap((branch) => [...typesOf(branch)])]);
}

function enumOf(schema: JsonObject): JsonValue[] {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? [] : [schema.const];
}
