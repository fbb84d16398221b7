import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { randomCuts } from '@callsmith/testing';
import { type JsonObject, type Tool, ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { type ParsedText, parseText } from './parse-text.ts';

interface Conformance {
  readonly id: string;
  readonly dialect: string;
  readonly text: string;
  readonly tools: readonly { readonly function: Tool }[];
  readonly expected_calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly expected_content: string;
  readonly verdict?: 'valid' | 'repair' | 'repair-counted' | 'malformed' | 'drop' | 'forward-or-error';
}

const load = (file: string): Conformance[] =>
  readFileSync(fileURLToPath(new URL(`../fixtures/conformance/${file}.jsonl`, import.meta.url)), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Conformance);

const examples = load('examples');
const hard = load('hard');

/** Where D-3 and D-10 say otherwise than the file. */
const content: Record<string, string> = {
  'truncated-args': hard.find((one) => one.id === 'truncated-args')?.text ?? '',
  'unknown-tool':
    'The model called "delete_everything", which is not on offer. Tools on offer: read_file, write_file, edit_file, bash, grep, git_status.',
  'think-prefilled': 'I should list.',
};

const read = (conformance: Conformance, chunk: number | readonly number[] | 'whole', dialect: string): ParsedText =>
  parseText({
    text: conformance.text,
    tools: new ToolTable(conformance.tools.map((tool) => tool.function)),
    dialect,
    chunk,
    finishReason: conformance.id === 'truncated-args' ? 'length' : 'stop',
  });

const expected = (conformance: Conformance) => ({
  calls:
    conformance.id === 'unknown-tool'
      ? []
      : conformance.expected_calls.map((call) => ({ name: call.name, arguments: call.arguments })),
  content: (content[conformance.id] ?? conformance.expected_content).trim(),
});

const got = (parsed: ParsedText) => ({
  calls: parsed.toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as JsonObject })),
  content: (parsed.content ?? '').trim(),
});

const chunks = (one: Conformance) => ['whole', 1, 3, 7, randomCuts(one.text, 1), randomCuts(one.text, 2)] as const;

/** What the notes must say for the verdict. */
function verdictMisses(conformance: Conformance, parsed: ParsedText): string | undefined {
  const counted = parsed.notes.filter((note) => note.class !== undefined);
  switch (conformance.verdict) {
    case 'valid':
    case 'drop':
      return counted.length > 0 ? 'noted' : undefined;
    case 'repair':
      return counted.some((note) => note.rule && !note.guess) ? undefined : 'not noted';
    case 'repair-counted':
      return counted.some((note) => note.rule && note.guess) ? undefined : 'not noted as a guess';
    case 'malformed':
      return counted.some((note) => note.class === 'Truncated') ? undefined : 'not noted as truncated';
    case 'forward-or-error':
      return counted.some((note) => note.class === 'UnknownName') ? undefined : 'not noted as unknown';
    default:
      return counted.length > 0 ? 'noted' : undefined;
  }
}

describe('conformance, the dialect named', () => {
  for (const one of [...examples, ...hard]) {
    it(one.id, () => {
      for (const chunk of chunks(one)) {
        const parsed = read(one, chunk, one.dialect === 'mixed' ? 'hermes' : one.dialect);
        expect(got(parsed), `in pieces of ${chunk}`).toEqual(expected(one));
        expect(verdictMisses(one, parsed), JSON.stringify(parsed.notes)).toBeUndefined();
      }
    });
  }
});

describe('conformance under auto', () => {
  it('D-9 reads at least 95 % of all cases and makes no call that is none', () => {
    const all = [...examples, ...hard];
    const missed = all.filter(
      (one) => JSON.stringify(sorted(got(read(one, 5, 'auto')))) !== JSON.stringify(sorted(expected(one))),
    );
    const invented = all.filter((one) => {
      const wanted = expected(one).calls.map((call) => JSON.stringify(sorted(call)));
      return got(read(one, 'whole', 'auto')).calls.some((call) => !wanted.includes(JSON.stringify(sorted(call))));
    });
    expect(invented.map((one) => one.id)).toEqual([]);
    expect(missed.length / all.length, missed.map((one) => one.id).join(', ')).toBeLessThanOrEqual(0.05);
  });
});

/** The same value with its keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
