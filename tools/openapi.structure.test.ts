import { readFileSync } from 'node:fs';
import { api, openapi, routes } from '@callsmith/contracts';
import { inferenceOpenapi } from '@callsmith/contracts/inference';
import { expect, it } from 'vitest';

it('docs/openapi.json is current (regenerate: node tools/run.mjs tools/gen-openapi.ts)', () => {
  const kept = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(kept)).toEqual(JSON.parse(JSON.stringify(openapi(api))));
});

it('docs/openapi-inference.json is current (regenerate: node tools/run.mjs tools/gen-openapi.ts)', () => {
  const kept = readFileSync(new URL('../docs/openapi-inference.json', import.meta.url), 'utf8');
  expect(JSON.parse(kept)).toEqual(JSON.parse(JSON.stringify(inferenceOpenapi())));
});

it('the client knows the address of every endpoint (regenerate: node tools/run.mjs tools/gen-openapi.ts)', () => {
  const declared = Object.entries(api).map(([area, endpoints]) => [
    area,
    Object.fromEntries(Object.entries(endpoints).map(([name, { method, path }]) => [name, `${method} ${path}`])),
  ]);
  expect(routes).toEqual(Object.fromEntries(declared));
});

it('no two endpoints share method and path', () => {
  const seen = Object.values(api).flatMap((area) => Object.values(area).map(({ method, path }) => `${method} ${path}`));
  expect(new Set(seen).size).toBe(seen.length);
});
