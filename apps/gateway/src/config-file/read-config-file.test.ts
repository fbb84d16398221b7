import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfigFile } from './read-config-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'callsmith-config-'));
const path = join(folder, 'config.yaml');

function read(text: string, env: Record<string, string> = {}) {
  writeFileSync(path, text);
  return readConfigFile(path, env);
}

/** The reported problems, line by line, without the file's own name. */
function wrong(text: string, env: Record<string, string> = {}): string[] {
  try {
    read(text, env);
  } catch (error) {
    return (error as Error).message.replaceAll(`${path}:`, '').split('\n');
  }
  return [];
}

it('A-8: a secret is given by reference to a variable or a file', () => {
  writeFileSync(join(folder, 'key'), 'key-of-a-file\n');
  const file = read(
    `version: 1
upstreams:
  - {name: a, baseUrl: "http://\${GPU}:8000", credential: "\${GPU_KEY}", headers: {X-Team: "t-\${GPU}", X-Price: "$\${GPU}"}}
  - name: b
    baseUrl: http://b
    credential: {file: ${join(folder, 'key')}}
`,
    { GPU: 'gpu', GPU_KEY: 'key-of-a-variable' },
  );
  expect(file.upstreams).toMatchObject([
    {
      baseUrl: 'http://gpu:8000',
      credential: 'key-of-a-variable',
      headers: { 'X-Team': 't-gpu', 'X-Price': `$${'{'}GPU}` },
    },
    { baseUrl: 'http://b', credential: 'key-of-a-file', enabled: true, connectTimeoutMs: 10_000 },
  ]);
});

it('a dangling reference is named with its line; an empty variable counts as unset', () => {
  const text = `version: 1
upstreams:
  - name: a
    baseUrl: http://a
    credential: "\${NOT_SET}"
  - name: b
    baseUrl: http://b
    credential: {file: /not/there}
`;
  const errors = ['5: the environment variable NOT_SET is not set', '8: the file /not/there cannot be read (ENOENT)'];
  expect(wrong(text)).toEqual(errors);
  expect(wrong(text, { NOT_SET: '' })).toEqual(errors);
});

it('a wrong field is named with its line, what was found and what is expected', () => {
  expect(
    wrong(`version: 1
upstreams:
  - name: gpu
    baseUrl: http://gpu
    kind: vlm
    maxConections: 5
models:
  - name: a
    strategy: best
    routes: []
`),
  ).toEqual([
    expect.stringMatching(/^5: upstreams\[0\]\.kind must be one of vllm, .*; found "vlm"$/),
    '3: upstreams[0].maxConections is not a known field',
    expect.stringMatching(/^9: models\[0\]\.strategy must be one of auto, .*; found "best"$/),
    '10: models[0].routes must have at least 1 entry',
  ]);
  expect(wrong('version: 2\n')).toEqual(['1: version must be 1; found 2']);
  expect(wrong('upstreams: []\n')).toEqual(['1: version must be 1']);
  expect(wrong('version: 1\nupstream: []\n')).toEqual(['1: upstream is not a known field']);
  expect(wrong('')).toEqual(['1: version must be 1']);
  expect(wrong('version: 1\nmodels: [}\n')[0]).toMatch(/^2: /);
  expect(wrong('version: 1\nteams: [{name: a}, {name: b}, {name: a}]\n')).toEqual([
    '2: teams[2].name must not occur twice; found "a"',
  ]);
});

it('A-8: an alert names only the triggers that apply to it', () => {
  const { alerts } = read('version: 1\nalerts: [{name: a, url: http://a, triggers: {failureBudget: true}}]\n');
  expect(alerts[0]?.triggers).toMatchObject({ failureBudget: true, failedRate: null, recordLost: false });
});

it('no message repeats a secret', () => {
  const secret = 'short-secret';
  for (const text of [
    `version: 1\nkeys: [{owner: a, secret: ${secret}}]\n`,
    `version: 1\nkeys: [{owner: a, sha256: ${secret}}]\n`,
    `version: 1\nupstreams: [{name: a, baseUrl: http://a, credential: [${secret}]}]\n`,
    `version: 1\nupstreams: [{name: a, baseUrl: http://a, headers: {"X A": ${secret}}}]\n`,
    `version: 1\nalerts: [{name: a, url: [${secret}], triggers: {}}]\n`,
  ])
    expect(wrong(text).join('\n')).not.toMatch(/^$|short-secret/);
  const elsewhere = `version: 1\nmodels: [{name: a, strategy: "$${'{'}KEY}", routes: [{upstream: a}]}]\n`;
  expect(wrong(elsewhere, { KEY: secret }).join('\n')).toMatch(/strategy must be one of [a-z, ]+$/);
});

it('a missing file is named', () => {
  expect(() => readConfigFile(join(folder, 'none.yaml'), {})).toThrow(/none\.yaml: cannot be read \(ENOENT\)/);
});
