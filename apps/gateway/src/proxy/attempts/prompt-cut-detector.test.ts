import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { promptTokens, tokenCounter } from '@callsmith/protocols';
import { type Message, ToolTable, type Turn } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { PromptCutDetector } from './prompt-cut-detector.ts';

const model = { id: 'm' } as ModelEntry;
const route = { upstream: { id: 'u' } } as Route;
const cuttingRoute: Route = { ...route, cutsPrompts: true };

const turnOf = (text: string): Turn =>
  ({ messages: [{ role: 'user', content: text } satisfies Message], tools: new ToolTable([]) }) as unknown as Turn;
const texts = {
  English: 'The quick brown fox jumps over the lazy dog, and then it rests for a while. '.repeat(400),
  code: 'export const total = (rows: readonly Row[]): number => rows.reduce((sum, { size }) => sum + size, 0);\n'.repeat(
    300,
  ),
  Chinese: '敏捷的棕色狐狸跳过了懒狗，然后休息了一会儿。'.repeat(400),
};
const cut = {
  what: 'cuts-prompts',
  value: true,
  reason: expect.stringMatching(/^It counted \d+ tokens of a prompt of about \d+\.$/),
};

const jsonOf = ({ messages, tools }: Turn) => JSON.stringify({ messages, tools: tools.list });

async function saw(watch: PromptCutDetector, text: string, share: number, at: Route = route) {
  const turn = turnOf(text);
  const inputTokens = Math.round(promptTokens(turn, await tokenCounter()) * share);
  return watch.observe(model, at, {
    turn,
    json: jsonOf(turn),
    usage: { inputTokens, outputTokens: 1, source: 'upstream' },
  });
}

it.each(Object.entries(texts))(
  'a server that counts half of the prompt twice in a row has truncated it: %s',
  async (_, text) => {
    let minutes = 0;
    const watch = new PromptCutDetector(() => minutes++ * 60_000);
    expect(await saw(watch, text, 0.4)).toBeUndefined();
    expect(await saw(watch, text, 0.4)).toEqual(cut);
    expect(await saw(watch, text, 0.4, cuttingRoute)).toBeUndefined();
    expect(await saw(watch, text, 1, cuttingRoute)).toMatchObject({ value: false });
  },
);

it('a server that is known to truncate is compared once a minute, by model and server', async () => {
  let now = 0;
  const watch = new PromptCutDetector(() => now);
  expect(await saw(watch, 'hi', 1, cuttingRoute)).toBeUndefined();
  expect(await saw(watch, texts.English, 0.4, cuttingRoute)).toBeUndefined();
  now = 59_999;
  expect(await saw(watch, texts.English, 1, cuttingRoute)).toBeUndefined();
  const other: Route = { ...cuttingRoute, upstream: { ...cuttingRoute.upstream, id: 'other' } };
  expect(await saw(watch, texts.English, 1, other)).toMatchObject({ value: false });
  now = 60_000;
  expect(await saw(watch, texts.English, 1, cuttingRoute)).toMatchObject({ value: false });
});

it.each(Object.entries(texts))('once is no proof, nor is a tokenizer of another model: %s', async (_, text) => {
  const watch = new PromptCutDetector();
  for (const share of [0.3, 1, 0.3, 0.7, 0.3, 1.4]) expect(await saw(watch, text, share)).toBeUndefined();
});

it('short prompts, and the gateway’s own counts, prove nothing', async () => {
  const watch = new PromptCutDetector();
  for (let n = 0; n < 3; n++) expect(await saw(watch, texts.English.slice(0, 9_000), 0.1)).toBeUndefined();
  const turn = turnOf(texts.English);
  for (let n = 0; n < 3; n++)
    expect(
      await watch.observe(model, route, {
        turn,
        json: jsonOf(turn),
        usage: { inputTokens: 10, outputTokens: 1, source: 'estimated' },
      }),
    ).toBeUndefined();
});

it('a short prompt between two long ones changes nothing', async () => {
  const watch = new PromptCutDetector();
  await saw(watch, texts.code, 0.2);
  await saw(watch, 'hi', 1);
  expect(await saw(watch, texts.code, 0.2)).toEqual(cut);
});
