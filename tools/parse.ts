// Parses tool calls out of model output: JSON lines in, JSON lines out. See `npm run parse -- --help`.
import { createInterface } from 'node:readline';
import { OpenTools, parseText } from '@callsmith/toolcall';
import { type FinishReason, isObject, type JsonObject, parseJson, type Tool, ToolTable } from '@callsmith/turn';

const help = `Reads one JSON object per line from standard input:
  {"id"?, "text", "tools"?, "dialect"?: name | "auto", "declared"?: bool, "chunk"?: n | "whole", "finish_reason"?}
and prints one line for each: {"id", "content", "reasoning", "tool_calls", "notes", "finish_reason"}.
  --dialect name|auto   default dialect (auto)
  --declared true|false whether somebody declared that dialect, so that only it and clear markers count (true)
  --chunk n|whole       how the text is split by default (whole)
`;

const reasons: readonly FinishReason[] = ['stop', 'length', 'tool_calls', 'content_filter'];

function option(name: string): string | undefined {
  const at = process.argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const word = process.argv[at];
  return at < 0 ? undefined : word?.includes('=') ? word.slice(word.indexOf('=') + 1) : process.argv[at + 1];
}

function toolTable(tools: unknown): ToolTable {
  if (!Array.isArray(tools)) return new OpenTools();
  const list = tools.filter(isObject).map((tool) => (isObject(tool.function) ? tool.function : tool));
  return new ToolTable(
    list.flatMap((tool): Tool[] => {
      if (typeof tool.name !== 'string') return [];
      return [{ name: tool.name, ...(isObject(tool.parameters) && { parameters: tool.parameters }) }];
    }),
  );
}

function chunkOf(value: unknown): number | 'whole' {
  const size = typeof value === 'string' ? Number(value) : value;
  return typeof size === 'number' && size >= 1 ? Math.floor(size) : 'whole';
}

function answer(line: string): JsonObject | { error: string } {
  const input = parseJson(line);
  if (!isObject(input)) return { error: input === undefined ? 'not JSON' : 'not an object' };
  const id = input.id === undefined ? {} : { id: input.id };
  if (typeof input.text !== 'string') return { ...id, error: '"text" must be a string' };
  const reason = reasons.find((one) => one === input.finish_reason) ?? 'stop';
  const parsed = parseText({
    text: input.text,
    tools: toolTable(input.tools),
    dialect: typeof input.dialect === 'string' ? input.dialect : (option('dialect') ?? 'auto'),
    dialectDeclared: typeof input.declared === 'boolean' ? input.declared : option('declared') !== 'false',
    chunk: chunkOf(input.chunk ?? option('chunk')),
    finishReason: reason,
  });
  return {
    id: input.id ?? null,
    content: parsed.content,
    reasoning: parsed.reasoning,
    tool_calls: parsed.toolCalls.map((call) => ({ ...call })),
    notes: parsed.notes.filter(
      (note) => note.rule !== undefined || note.class !== undefined,
    ) as unknown as JsonObject[],
    finish_reason: parsed.finishReason,
  };
}

if (process.argv.includes('--help')) {
  process.stdout.write(help);
} else {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    if (!process.stdout.write(`${JSON.stringify(answer(line))}\n`))
      await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
