/** An argument of a tool, as a field asks for it; `json`: what no plainer field could hold. */
export interface Argument {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly description: string | undefined;
  readonly required: boolean;
  readonly choices: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** The arguments that a tool's schema names. */
export function argumentsIn({ properties, required }: Json): Argument[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries((properties ?? {}) as Record<string, Json>).map(([name, schema]) => {
    const choices =
      Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === 'string') ? schema.enum : [];
    return {
      name,
      kind: choices.length > 0 ? 'choice' : kindOf(schema.type),
      description: typeof schema.description === 'string' ? schema.description : undefined,
      required: needed.includes(name),
      choices,
    };
  });
}

function kindOf(type: unknown): Argument['kind'] {
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

/** What was filled in, as arguments; an empty field that is not required is left out, and JSON that is none goes as text. */
export function argumentsOf(
  fields: readonly Argument[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = fields.flatMap(({ name, kind, required }) => {
    const value = values[name];
    if ((value === '' || value === null) && !(required && kind === 'text')) return [];
    return [[name, kind === 'json' ? parsed(String(value)) : value] as const];
  });
  return Object.fromEntries(entries);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
