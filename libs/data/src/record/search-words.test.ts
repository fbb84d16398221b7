import { expect, it } from 'vitest';
import { textQuery, textVector } from './search-words.ts';

it('words are runs of letters and digits, with their positions', () => {
  expect(textVector('Read src/app.ts, then READ_it')).toBe("'read':1,6 'src':2 'app':3 'ts':4 'then':5 'it':7");
  expect(textVector('')).toBe('');
  expect(textVector(`it's \\ 'quoted' \0 \u{1F600}`)).toBe("'it':1 's':2 'quoted':3");
});

it('scripts without spaces are found by any of their characters', () => {
  expect(textVector('東京tower')).toBe("'東':1 '京':2 'tower':3");
  expect(textQuery('京tow')).toBe("('京' <-> 'tow':*)");
});

it('all parts of a query must match, and its last word may be a prefix', () => {
  expect(textQuery('src/app.ts weath')).toBe("('src' <-> 'app' <-> 'ts') & ('weath':*)");
  expect(textQuery('"not found" 404')).toBe("('not' <-> 'found') & ('404':*)");
  expect(textQuery('"never closed')).toBe("('never' <-> 'closed')");
});

it('a query without a word is none, whatever punctuation it has', () => {
  for (const query of ['', ' ', '{}', `"`, `'':* & !`, '\\', '\0']) expect(textQuery(query)).toBeUndefined();
});

it('texts of any form stay within what Postgres accepts', () => {
  const long = textVector(`${'x'.repeat(70_000)} ${'ab '.repeat(30_000)}`);
  expect(long).toMatch(/^'x{60}':1 'ab':2,3,/);
  expect(long.split(',')).toHaveLength(255);
  expect(textVector(Array.from({ length: 20_000 }, (_, n) => `w${n}`).join(' '))).toMatch(/'w19999':16383$/);
});
