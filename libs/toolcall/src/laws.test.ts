import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runSync } from '@callsmith/stream';
import { brokenPairs, brokenSplit } from '@callsmith/testing';
import { type FinishReason, type JsonObject, type Tool, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { dialectNamed, dialects } from './dialects/index.ts';
import { parseCalls } from './parse-calls.ts';
import { parseText } from './parse-text.ts';

interface Case {
  readonly case: string;
  readonly reply: string;
  readonly finish?: FinishReason;
  readonly dialect?: string;
  readonly expect: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly calls: readonly { readonly name: string; readonly args: JsonObject }[];
    readonly rules?: readonly string[];
    readonly classes?: readonly string[];
  };
}

interface Fixture {
  readonly about: string;
  readonly tools: ToolTable;
  readonly cases: readonly Case[];
}

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url));

function fixture(name: string): Fixture {
  const [head, ...cases] = readFileSync(`${folder}${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const { about, tools } = head as { about: string; tools: Tool[] };
  return { about, tools: new ToolTable(tools), cases: cases as Case[] };
}

const reading = (
  tools: ToolTable,
  one: Case,
  dialect: string,
  chunk: readonly number[] | 'whole',
  holdBytes: number | null = null,
) =>
  parseText({
    text: one.reply,
    tools,
    dialect: one.dialect ?? dialect,
    chunk,
    finishReason: one.finish ?? 'stop',
    holdBytes,
  });

describe('every dialect has its fixtures, every fixture its dialect', () => {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.replace('.jsonl', ''));
  it('neither is without the other', () => {
    expect(files.filter((name) => !name.startsWith('any-')).sort()).toEqual(
      dialects.map((dialect) => dialect.name).sort(),
    );
  });
});

for (const name of [...dialects.map((dialect) => dialect.name), 'any-dialect']) {
  const { tools, cases, about } = fixture(name);
  const dialect = name === 'any-dialect' ? 'auto' : name;

  describe(`${name}: ${about}`, () => {
    for (const one of cases) {
      it(`reads ${one.case}`, () => {
        const read = reading(tools, one, dialect, 'whole');
        expect({
          calls: read.toolCalls.map((call) => ({ name: call.name, args: JSON.parse(call.arguments) as JsonObject })),
          text: read.content?.trim() ?? '',
          reasoning: one.expect.reasoning === undefined ? undefined : (read.reasoning ?? '').trim(),
        }).toEqual({ calls: one.expect.calls, text: one.expect.text ?? '', reasoning: one.expect.reasoning });
        for (const rule of one.expect.rules ?? []) expect(read.notes.map((note) => note.rule)).toContain(rule);
        for (const found of one.expect.classes ?? []) expect(read.notes.map((note) => note.class)).toContain(found);
      });

      it(`reads ${one.case} the same however it is cut`, () => {
        for (const holdBytes of [null, 24]) {
          const broken = brokenSplit(one.reply, 200, (cuts) =>
            JSON.stringify(reading(tools, one, dialect, cuts, holdBytes)),
          );
          expect(broken, `cut at ${broken?.join(', ')} with holdBytes ${holdBytes}`).toBeUndefined();
        }
      });

      it(`keeps the pairs of ${one.case}, at once and streamed`, () => {
        for (const holdBytes of [null, 0, 24]) {
          const events: UpstreamEvent[] = [...one.reply].map((text) => ({ type: 'text-delta', choice: 0, text }));
          events.push({ type: 'turn-end', choice: 0, reason: one.finish ?? 'stop' });
          const stage = parseCalls({
            tools,
            dialect: one.dialect ?? dialect,
            strategyUsed: 'prompt',
            holdBytes,
            toolChoice: 'auto',
            parallel: true,
          });
          expect(brokenPairs(runSync(stage, events).out)).toBeUndefined();
        }
      });
    }

    const own = dialectNamed(name);
    if (!own) return;
    it('D-12 says past calls so that it reads them again', () => {
      for (const one of cases) {
        for (const call of one.expect.calls) {
          const past = { id: 'functions.x:0', name: call.name, arguments: JSON.stringify(call.args) };
          if (own.canExpress?.(past, tools.get(call.name)) === false) continue;
          const read = parseText({
            text: own.renderCall(past),
            tools,
            dialect: name,
            chunk: 'whole',
            finishReason: 'stop',
          });
          expect(
            read.toolCalls.map(({ name: said, arguments: args }) => ({
              name: said,
              args: JSON.parse(args) as JsonObject,
            })),
          ).toEqual([call]);
        }
      }
    });
  });
}
