import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runSync } from '@callsmith/stream';
import { brokenPairs, brokenSplit, randomCuts } from '@callsmith/testing';
import { type FinishReason, type JsonObject, type Tool, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import type { Dialect } from './dialect.ts';
import { dialectNamed, dialects } from './dialects/index.ts';
import { parseCalls } from './parse-calls.ts';
import { parseText } from './parse-text.ts';
import { isRule, rules } from './rules.ts';

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

const parseCase = (
  tools: ToolTable,
  lawCase: Case,
  dialect: string,
  chunk: readonly number[] | 'whole',
  holdBytes: number | null = null,
) =>
  parseText({
    text: lawCase.reply,
    tools,
    dialect: lawCase.dialect ?? dialect,
    chunk,
    finishReason: lawCase.finish ?? 'stop',
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
        const read = parseCase(tools, one, dialect, 'whole');
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
            JSON.stringify(parseCase(tools, one, dialect, cuts, holdBytes)),
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
          const { out } = runSync(stage, events);
          expect(brokenPairs(out)).toBeUndefined();
          const late = out.flatMap((event) =>
            event.type === 'note' && event.note.stage === 'stream' && event.note.rule ? [event.note.rule] : [],
          );
          expect(late.filter((rule) => isRule(rule) && rules[rule].runs === 'whole')).toEqual([]);
        }
      });
    }

    const own = dialectNamed(name);
    if (!own) return;
    it('D-12 renders past calls so that it parses them again', () => {
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
            read.toolCalls.map(({ name: calledName, arguments: args }) => ({
              name: calledName,
              args: JSON.parse(args) as JsonObject,
            })),
          ).toEqual([call]);
        }
      }
    });
  });
}

const cuttings = (text: string) => ['whole', 1, 3, 7, randomCuts(text, 1), randomCuts(text, 2)] as const;

/** The calls of a dialect's fixtures as it writes them, each with the tools that are on offer. */
function writtenCalls(dialect: Dialect): { text: string; name: string; tools: ToolTable }[] {
  const { tools, cases } = fixture(dialect.name);
  const calls = cases.flatMap((one) => one.expect.calls);
  return calls.flatMap(({ name, args }) => {
    const past = { id: 'functions.x:0', name, arguments: JSON.stringify(args) };
    return dialect.canExpress?.(past, tools.get(name)) === false
      ? []
      : [{ text: dialect.renderCall(past), name, tools }];
  });
}

const parsedAs = (
  text: string,
  tools: ToolTable,
  dialect: string,
  chunk: ReturnType<typeof cuttings>[number],
  dialectDeclared = true,
) => {
  const { toolCalls, content } = parseText({ text, tools, dialect, dialectDeclared, chunk, finishReason: 'stop' });
  return { calls: toolCalls.map(({ name }) => name), content };
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('behind a call in %s', (name, dialect) => {
  const calls = writtenCalls(dialect);

  it('a result that the model invents is dropped, with everything behind it', () => {
    for (const call of calls) {
      for (const space of ['', '\n']) {
        const result = dialect.renderResult({ callId: 'functions.x:0', name: call.name, text: 'made up' });
        const text = `${call.text}${space}${result}\nThat is all.`;
        for (const chunk of cuttings(text))
          expect(parsedAs(text, call.tools, name, chunk), `${text} in pieces of ${chunk}`).toEqual({
            calls: [call.name],
            content: null,
          });
      }
    }
  });

  it('a closing marker that is written twice is dropped', () => {
    for (const call of calls) {
      const closers = (dialect.closingMarkers?.(call.tools) ?? []).filter((closer) => call.text.endsWith(closer));
      for (const closer of closers) {
        for (const text of [`${call.text}${closer}`, `${call.text}\n${closer}\n`]) {
          for (const chunk of cuttings(text))
            expect(parsedAs(text, call.tools, name, chunk), `${text} in pieces of ${chunk}`).toEqual({
              calls: [call.name],
              content: null,
            });
        }
      }
    }
  });
});

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('in %s', (name, dialect) => {
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const tools = new ToolTable([
    { name: 'read_file', parameters },
    { name: 'check', parameters: { type: 'object', properties: { type: {}, properties: {} } } },
  ]);
  const written = (tool: string, args: JsonObject) =>
    dialect.renderCall({ id: 'functions.x:0', name: tool, arguments: JSON.stringify(args) });

  it("the schema of a tool in the place of a call's arguments is no call", () => {
    for (const schema of [parameters, { properties: parameters.properties, type: 'object' }]) {
      const text = written('read_file', schema);
      if (!text.includes(JSON.stringify(schema))) return;
      for (const chunk of cuttings(text))
        expect(parsedAs(text, tools, name, chunk).calls, `${text} in pieces of ${chunk}`).toEqual([]);
    }
  });

  it('arguments that look like a schema are arguments where the tool declares them', () => {
    const text = written('check', parameters);
    if (!text.includes(JSON.stringify(parameters))) return;
    for (const chunk of cuttings(text)) expect(parsedAs(text, tools, name, chunk).calls).toEqual(['check']);
  });
});

describe.each(['auto', ...dialects.map(({ name }) => name)])('prose read as %s', (name) => {
  const { tools } = fixture('any-dialect');
  const own = dialectNamed(name);
  const markers = markersOfOthers(own, tools);
  const ownTexts = [...(own?.frames ?? []), ...(own?.openingMarkers(tools, true) ?? [])].map(({ text }) => text);
  const samples = [
    '<answer>42</answer>',
    '[BEGIN FINAL RESPONSE]',
    'functools["cache"]',
    'functools[{"name": "cache"}]',
    '```json',
  ].filter((sample) => !ownTexts.some((text) => text.length > 1 && sample.startsWith(text)));

  it('D-33 a frame or opening marker of another dialect comes out byte for byte', () => {
    for (const marker of [...markers, ...samples]) {
      for (const text of [
        `I write ${marker} here.`,
        `${marker} is it.`,
        `Look:\n${marker}\nor not.`,
        `It is ${marker}`,
      ])
        for (const chunk of ['whole', 1] as const)
          for (const declared of [true, false])
            expect(parsedAs(text, tools, name, chunk, declared), text).toEqual({ calls: [], content: text });
    }
  });

  it('D-33 prose that holds all of them comes out byte for byte, however it is cut', () => {
    const text = [...markers, ...samples].map((marker, at) => `The marker ${at} is ${marker} in words.`).join('\n');
    for (const chunk of cuttings(text))
      for (const declared of [true, false])
        expect(parsedAs(text, tools, name, chunk, declared)).toEqual({ calls: [], content: text });
  });
});

/** What other dialects begin, frame and end calls and results with, and this one does not. Turn-end tokens count for every model. */
function markersOfOthers(own: Dialect | undefined, tools: ToolTable): string[] {
  const frames = (dialect: Dialect) => (dialect.frames ?? []).filter((one) => own || one.elsewhere !== 'unmistakable');
  const markersOf = (dialect: Dialect) => [
    ...dialect.openingMarkers(tools, false).map(({ text }) => text),
    ...frames(dialect).map(({ text }) => text),
    ...(dialect.closingMarkers?.(tools) ?? []),
    ...dialect.resultMarkers.map(({ text }) => text),
  ];
  const ends = dialects.flatMap(({ template }) => template?.turnEnds ?? []);
  const not = new Set([
    ...(own ? [...markersOf(own), ...own.openingMarkers(tools, true).map(({ text }) => text)] : []),
    ...ends,
  ]);
  const others = new Set(dialects.filter((dialect) => dialect !== own).flatMap(markersOf));
  return [...others].filter((text) => text.length > 1 && !not.has(text) && !/\n$/.test(text));
}
