import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { OpenTools, parseText } from '@callsmith/toolcall';
import { type FinishReason, isObject, type JsonObject, parseJson, type Tool, ToolTable } from '@callsmith/turn';

/** Defaults for lines that do not set them. */
export interface ParseDefaults {
  /** A dialect's name or `auto`. */
  readonly dialect: string;
  /** Whether that dialect is declared, so that only it and unambiguous markers count. */
  readonly declared: boolean;
  /** Characters per chunk, or `whole`. */
  readonly chunk: string;
}

/** The lines that `parse` reads and prints. */
export const parseFormat = `Reads one JSON object per line from standard input:
  {"id"?, "text", "tools"?, "dialect"?: name | "auto", "declared"?: bool, "chunk"?: n | "whole", "finish_reason"?}
and prints one line for each: {"id", "content", "reasoning", "tool_calls", "notes", "finish_reason"}.`;

const reasons: readonly FinishReason[] = ['stop', 'length', 'tool_calls', 'content_filter'];

/** Parses tool calls out of model output: reads JSON lines from `input` and writes one for each to `output`. */
export async function parseLines(input: Readable, output: Writable, defaults: ParseDefaults): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    if (!output.write(`${JSON.stringify(answer(line, defaults))}\n`))
      await new Promise((resolve) => output.once('drain', resolve));
  }
}

function answer(line: string, { dialect, declared, chunk }: ParseDefaults): JsonObject | { error: string } {
  const input = parseJson(line);
  if (!isObject(input)) return { error: input === undefined ? 'not JSON' : 'not an object' };
  const id = input.id === undefined ? {} : { id: input.id };
  if (typeof input.text !== 'string') return { ...id, error: '"text" must be a string' };
  const reason = reasons.find((one) => one === input.finish_reason) ?? 'stop';
  const parsed = parseText({
    text: input.text,
    tools: toolTable(input.tools),
    dialect: typeof input.dialect === 'string' ? input.dialect : dialect,
    dialectDeclared: typeof input.declared === 'boolean' ? input.declared : declared,
    chunk: chunkOf(input.chunk ?? chunk),
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
