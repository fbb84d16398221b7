import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** The parts of a server's tool definition that a model gets. */
export interface ToolDefinition {
  readonly description: string;
  readonly inputSchema: JsonObject;
}

const longestSchema = 64 * 1024;
const longestDescription = 16 * 1024;
const deepest = 32;

/** Why a tool cannot be offered to a model; undefined: it can. A schema is never changed. */
export function toolProblem({ description, inputSchema }: ToolDefinition): string | undefined {
  if (description.length > longestDescription)
    return `its description has ${description.length} characters; at most ${longestDescription} are allowed`;
  if (inputSchema.type !== 'object') return 'its schema must have the type "object"';
  const length = JSON.stringify(inputSchema).length;
  if (length > longestSchema) return `its schema has ${length} characters; at most ${longestSchema} are allowed`;
  return partProblem(inputSchema, 1);
}

function partProblem(value: JsonValue | undefined, depth: number): string | undefined {
  if (depth > deepest) return `its schema is nested more than ${deepest} levels deep`;
  if (Array.isArray(value)) {
    for (const part of value) {
      const problem = partProblem(part, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, part] of Object.entries(value)) {
    if ((name === '$ref' || name === '$dynamicRef') && typeof part === 'string' && !part.startsWith('#'))
      return 'its schema refers to another document';
    const problem = partProblem(part, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** True if two definitions are equal, regardless of the order of their members. */
export const sameDefinition = (a: ToolDefinition, b: ToolDefinition): boolean =>
  a.description === b.description && canonical(a.inputSchema) === canonical(b.inputSchema);

const canonical = (value: JsonValue | undefined): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part as JsonValue)
      ? Object.fromEntries(Object.entries(part as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
