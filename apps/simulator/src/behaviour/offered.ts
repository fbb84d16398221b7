import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { OfferedTool } from './conversation.ts';

/** The tools of a request's `tools`; entries that are not functions are left out. */
export function nativeTools(tools: JsonValue | undefined): OfferedTool[] {
  return (Array.isArray(tools) ? tools : []).flatMap((entry) => (isObject(entry) ? toolOf(entry) : []));
}

/** The tools that a system text describes: as JSON, as Qwen3-Coder's XML, or as Cline's own XML protocol. */
export function toolsInText(system: string): OfferedTool[] {
  const found = new Map<string, OfferedTool>();
  for (const tool of [...jsonObjects(system).flatMap(toolOf), ...xmlTools(system), ...clineTools(system)]) {
    if (!found.has(tool.name)) found.set(tool.name, tool);
  }
  return [...found.values()];
}

/** True for a system text that teaches Cline's XML protocol. */
export const teachesClineXml = (system: string): boolean =>
  system.includes('<attempt_completion>') && system.includes('<read_file>');

function toolOf(entry: JsonObject): OfferedTool[] {
  const said = isObject(entry.function) ? entry.function : entry;
  const schema = said.parameters ?? said.input_schema ?? said.inputSchema;
  if (typeof said.name !== 'string' || said.name === '') return [];
  // An example call `{"name":…,"arguments":…}` beside the tools is not a tool.
  if (schema === undefined && said.description === undefined && !isObject(entry.function)) return [];
  return [{ name: said.name, description: String(said.description ?? ''), schema: isObject(schema) ? schema : {} }];
}

/** Every JSON object that stands at a line's start, in a list there, or inside `<tool>` tags. */
function jsonObjects(text: string): JsonObject[] {
  const objects: JsonObject[] = [];
  for (let at = text.search(opening); at >= 0; ) {
    const end = closing(text, at);
    const value = end === undefined ? undefined : parseJson(text.slice(at, end));
    if (value !== undefined) objects.push(...(Array.isArray(value) ? value : [value]).filter(isObject));
    const from = value === undefined || end === undefined ? at + 1 : end;
    const next = text.slice(from).search(opening);
    at = next < 0 ? -1 : from + next;
  }
  return objects;
}

const opening = /[{[](?=\s*["{])/;

/** The end of the JSON value that starts at `start`; undefined if its brackets do not close. */
function closing(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length && at - start < 200_000; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign === '\\') at++;
      else if (sign === '"') quoted = false;
      continue;
    }
    if (sign === '"') quoted = true;
    if (sign === '{' || sign === '[') depth++;
    if ((sign === '}' || sign === ']') && --depth === 0) return at + 1;
  }
  return undefined;
}

// <function><name>read_file</name><description>…</description><parameters><parameter><name>path</name><type>string</type>…
function xmlTools(system: string): OfferedTool[] {
  return [...system.matchAll(/<function>\s*<name>([^<]+)<\/name>([\s\S]*?)<\/function>/g)].map((match) => {
    const body = match[2] ?? '';
    const parameters = [...body.matchAll(/<parameter>\s*<name>([^<]+)<\/name>([\s\S]*?)<\/parameter>/g)];
    const properties = parameters.map((each): [string, JsonObject] => [
      each[1] ?? '',
      {
        type: /<type>([^<]+)<\/type>/.exec(each[2] ?? '')?.[1] ?? 'string',
        description: /<description>([\s\S]*?)<\/description>/.exec(each[2] ?? '')?.[1] ?? '',
      },
    ]);
    const required = /<required>\s*(\[[^\]]*\])\s*<\/required>/.exec(body)?.[1];
    const names = required === undefined ? properties.map(([name]) => name) : parseJson(required);
    return {
      name: (match[1] ?? '').trim(),
      description: /<description>([\s\S]*?)<\/description>/.exec(body)?.[1]?.trim() ?? '',
      schema: {
        type: 'object',
        properties: Object.fromEntries(properties),
        required: Array.isArray(names) ? names : [],
      },
    };
  });
}

const string: JsonObject = { type: 'string' };
const clineProtocol: readonly OfferedTool[] = [
  clineTool('read_file', ['path']),
  clineTool('write_to_file', ['path', 'content']),
  clineTool('execute_command', ['command', 'requires_approval']),
  clineTool('attempt_completion', ['result']),
];

function clineTool(name: string, parameters: readonly string[]): OfferedTool {
  const properties = Object.fromEntries(
    parameters.map((each) => [each, each === 'requires_approval' ? { type: 'boolean' } : string]),
  );
  return { name, description: '', schema: { type: 'object', properties, required: [...parameters] } };
}

const clineTools = (system: string): readonly OfferedTool[] =>
  teachesClineXml(system) ? clineProtocol.filter((tool) => system.includes(`<${tool.name}>`)) : [];
