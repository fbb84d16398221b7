import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { OfferedTool } from './offered-tool.ts';

/** The tools of a request's `tools`; entries that are not functions are left out. */
export function nativeTools(tools: JsonValue | undefined): OfferedTool[] {
  return (Array.isArray(tools) ? tools : []).flatMap((entry) => (isObject(entry) ? toolOf(entry) : []));
}

/** The tools that a system text describes: as JSON, or as Cline's own XML protocol. */
export function toolsInText(system: string): OfferedTool[] {
  const found = new Map<string, OfferedTool>();
  for (const tool of [...jsonObjects(system).flatMap(toolOf), ...clineTools(system)]) {
    if (!found.has(tool.name)) found.set(tool.name, tool);
  }
  return [...found.values()];
}

/** True for a system text that describes Cline's XML protocol. */
export const promptsClineXml = (system: string): boolean =>
  system.includes('<attempt_completion>') && system.includes('<read_file>');

function toolOf(entry: JsonObject): OfferedTool[] {
  const definition = isObject(entry.function) ? entry.function : entry;
  const schema = definition.parameters ?? definition.input_schema ?? definition.inputSchema;
  if (typeof definition.name !== 'string' || definition.name === '') return [];
  // An example call `{"name":…,"arguments":…}` beside the tools is not a tool.
  if (schema === undefined && definition.description === undefined && !isObject(entry.function)) return [];
  return [
    {
      name: definition.name,
      description: String(definition.description ?? ''),
      schema: isObject(schema) ? schema : {},
    },
  ];
}

/** Every JSON object in a text, in lists too; gives up if many brackets in prose make it scan too often. */
function jsonObjects(text: string): JsonObject[] {
  const objects: JsonObject[] = [];
  let budget = 8_000_000;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null && budget > 0; match = opening.exec(text)) {
    const end = closing(text, match.index);
    const value = end.closed ? parseJson(text.slice(match.index, end.at)) : undefined;
    budget -= end.at - match.index;
    if (value === undefined) continue;
    objects.push(...(Array.isArray(value) ? value : [value]).filter(isObject));
    opening.lastIndex = end.at;
  }
  return objects;
}

const opening = /[{[](?=\s{0,20}["{])/g;

/** The end of the JSON value that starts at `start`, if its brackets close. */
function closing(text: string, start: number): { at: number; closed: boolean } {
  let depth = 0;
  let quoted = false;
  let at = start;
  for (; at < text.length && at - start < 200_000; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign === '\\') at++;
      else if (sign === '"') quoted = false;
      continue;
    }
    if (sign === '"') quoted = true;
    if (sign === '{' || sign === '[') depth++;
    if ((sign === '}' || sign === ']') && --depth === 0) return { at: at + 1, closed: true };
  }
  return { at, closed: false };
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
  promptsClineXml(system) ? clineProtocol.filter((tool) => system.includes(`<${tool.name}>`)) : [];
