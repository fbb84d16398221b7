import { isObject, type JsonObject } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import type { SavedCase } from './cases/saved-case.ts';
import { caseTitles, furtherQuestions, probeQuestions, wantsCall } from './rounds.ts';

const toolsOf = ({ tools }: JsonObject): JsonObject[] => (Array.isArray(tools) ? tools.filter(isObject) : []);
const nameOf = ({ function: definition }: JsonObject): unknown => isObject(definition) && definition.name;

describe('the questions of a probe', () => {
  const quick = probeQuestions('seed', 'quick');

  it('are twenty cases; 1, 4 and 8 are streamed as well', () => {
    expect(quick.map(({ case: number }) => number)).toEqual([
      ...[1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
    ]);
    expect(quick.filter(({ streamed }) => streamed).map(({ case: number }) => number)).toEqual([1, 4, 8]);
    expect(quick.every(({ request, streamed }) => request.stream === streamed)).toBe(true);
  });

  it('are at least 96 in a full probe, each with its own key and nonces', () => {
    const full = probeQuestions('seed', 'full');
    expect(full.length).toBeGreaterThanOrEqual(96);
    expect(new Set(full.map(({ key }) => key)).size).toBe(full.length);
    const conversations = full.map(({ request }) => JSON.stringify(request.messages));
    // Those without a nonce are: the time, thanks, the missing city.
    expect(new Set(conversations).size).toBe(full.length - 3 * 4);
  });

  it('are the same for the same seed only', () => {
    expect(probeQuestions('seed', 'quick')).toEqual(quick);
    expect(probeQuestions('other', 'quick')).not.toEqual(quick);
  });

  it('expect only tools that are offered, thirty of them in case 18', () => {
    for (const { case: number, request, expects } of quick) {
      const offered = toolsOf(request).map(nameOf);
      if (expects.kind === 'calls') for (const { name } of expects.calls) expect(offered).toContain(name);
      expect(offered).toHaveLength({ 3: 5, 18: 30 }[number] ?? 7);
    }
  });

  it('expect a call in fifteen of twenty cases', () => {
    const wanted = quick.filter((question) => !question.streamed && wantsCall(question));
    expect(wanted).toHaveLength(15);
  });

  it('have six kilobytes to write in case 10, and thirty lines that break JSON and tags in case 8', () => {
    const contentOf = (number: number): string => {
      const expects = quick.find((question) => question.case === number)?.expects;
      return expects?.kind === 'calls' ? String(expects.calls[0]?.arguments.content) : '';
    };
    expect(contentOf(10).length).toBeGreaterThan(5_900);
    expect(contentOf(8).split('\n')).toHaveLength(30);
    for (const part of ['"', '\\', '\t', '```', '</parameter>']) expect(contentOf(8)).toContain(part);
  });
});

describe('saved cases', () => {
  const saved = (id: string, request: JsonObject = {}): SavedCase => ({
    id,
    title: `Case ${id}`,
    request: { messages: [{ role: 'user', content: id }], ...request },
    expects: { kind: 'tools', names: ['read'] },
  });

  it.each(['quick', 'full'] as const)('are sent once each, as streams, behind the others: %s', (size) => {
    const builtIn = probeQuestions('seed', size);
    const questions = probeQuestions('seed', size, [saved('a'), saved('b')]);
    expect(questions.slice(0, builtIn.length)).toEqual(builtIn);
    expect(questions.slice(builtIn.length)).toEqual([
      expect.objectContaining({ key: 'a', case: 21, streamed: true, expects: saved('a').expects }),
      expect.objectContaining({ key: 'b', case: 22, streamed: true }),
    ]);
    expect(questions.at(-1)?.request).toEqual({ ...saved('b').request, max_tokens: 4_000, stream: true });
    expect(furtherQuestions('seed', size).some(({ case: number }) => number > 20)).toBe(false);
  });

  it('keep their numbers when one of them has been deleted', () => {
    const cases = [undefined, saved('b')];
    expect(probeQuestions('seed', 'quick', cases).slice(23)).toMatchObject([{ key: 'b', case: 22 }]);
    expect(caseTitles(cases).slice(20)).toEqual([
      { case: 21, title: 'Deleted case' },
      { case: 22, title: 'Case b' },
    ]);
  });

  it.each([{ max_tokens: 10 }, { max_completion_tokens: 10 }])('keep their own limit: %o', (limit) => {
    const request = probeQuestions('seed', 'quick', [saved('a', limit)]).at(-1)?.request;
    expect(request).toEqual({ ...saved('a', limit).request, stream: true });
  });
});
