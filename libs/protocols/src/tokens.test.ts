import { cpuMs } from '@callsmith/testing';
import { fold } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { chatCompletions } from './inbound/chat-completions/adapter.ts';
import { answerTokens, countInRuns, promptTokens, tokenCounter } from './tokens.ts';

it('R-7: counts as the tokenizer does', async () => {
  const count = await tokenCounter();
  expect(count('hello world')).toBe(2);
  expect(count('')).toBe(0);
});

it('treats special tokens as text', async () => {
  const count = await tokenCounter();
  expect(count('<|endoftext|><|im_start|>system')).toBeGreaterThan(4);
});

it('security 14: a hostile run costs no more than other text', async () => {
  const count = await tokenCounter();
  const started = cpuMs();
  for (const unit of ['a', ' ', '\n', '=', 'é', '🎉']) count(unit.repeat(200_000 / unit.length));
  expect(cpuMs() - started).toBeLessThan(3_000);
});

it('splits runs only if they are long', () => {
  const seen: string[] = [];
  const text = `one two ${'x'.repeat(300)} three`;
  countInRuns(text, (piece) => seen.push(piece));
  expect(seen.join('')).toBe(text);
  expect(Math.max(...seen.map((piece) => piece.length))).toBe(128);
  expect(seen[0]).toBe('one two ');
});

it('counts prompts and answers with their tools and calls', async () => {
  const count = await tokenCounter();
  const plain = { model: 'm', messages: [{ role: 'user', content: 'hello world' }] };
  const limits = { maxDepth: 32, maxMessages: 9, maxTools: 9 };
  expect(promptTokens(chatCompletions.parseRequest(plain, limits), count)).toBe(6);
  expect(
    promptTokens(
      chatCompletions.parseRequest(
        { ...plain, tools: [{ type: 'function', function: { name: 'read_file' } }] },
        limits,
      ),
      count,
    ),
  ).toBeGreaterThan(10);
  const folded = fold([
    { type: 'text-delta', choice: 0, text: 'hello' },
    { type: 'tool-start', choice: 0, index: 0, id: 'a', name: 'f' },
    { type: 'tool-delta', choice: 0, index: 0, json: '{}' },
  ]);
  expect(answerTokens(folded, count)).toBe(1 + 4 + 1 + 1);
});
