import { beforeEach, expect, it } from 'vitest';
import { forgetRecent, recentPages, remember } from './recent.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  globalThis.localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  } as Storage;
});

const page = (n: number) => ({ to: `/failures/turn_${n}`, label: `request ${n}` });

it('pages that were read come back, the newest first, each once, until they are forgotten', () => {
  for (let n = 0; n < 12; n++) remember(page(n));
  remember(page(7));
  expect(recentPages().map(({ label }) => label)).toEqual([7, 11, 10, 9, 8, 6, 5, 4].map((n) => `request ${n}`));
  forgetRecent();
  expect(recentPages()).toEqual([]);
});

it('any other content leads nowhere', () => {
  for (const text of [
    '{',
    '1',
    'null',
    '[null,1,{"to":"https://evil.example","label":"x"},{"to":"//evil.example","label":"x"}]',
  ]) {
    kept.set('callsmith-recent', text);
    expect(recentPages()).toEqual([]);
  }
});
