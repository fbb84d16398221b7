import { readFileSync } from 'node:fs';
import { api, openapi } from '@callsmith/contracts';
import { expect, it } from 'vitest';

it('docs/openapi.json is current (make it anew: node tools/run.mjs tools/gen-openapi.ts)', () => {
  const kept = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(kept)).toEqual(JSON.parse(JSON.stringify(openapi(api))));
});

it('no two endpoints share verb and path', () => {
  const seen = Object.values(api).flatMap((area) => Object.values(area).map(({ method, path }) => `${method} ${path}`));
  expect(new Set(seen).size).toBe(seen.length);
});
