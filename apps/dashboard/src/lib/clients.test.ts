import { expect, test } from 'vitest';
import { setupsFor, withV1 } from './clients.ts';

const connection = {
  baseUrl: 'http://gpu:4000/v1',
  secret: "sk-a'b",
  model: 'qwen3:8b',
  contextLength: 40_960,
};
const setupOf = (name: string, to: Parameters<typeof setupsFor>[0] = connection) =>
  setupsFor(to).find((setup) => setup.name === name);

test('every client is configured with base URL, key and model, and by its own file the context window', () => {
  for (const setup of setupsFor({ ...connection, secret: 'sk-plain' })) {
    const setupJson = JSON.stringify(setup);
    expect(setupJson, setup.name).toContain('http://gpu:4000');
    expect(setupJson, setup.name).toContain('sk-plain');
    expect(setupJson, setup.name).toContain('qwen3:8b');
  }
  for (const name of ['Cline', 'Claude Code', 'Kilo', 'Continue', 'opencode', 'Codex', 'Roo'])
    expect(JSON.stringify(setupOf(name)), name).toContain('40960');
});

test('a key with a quote survives the shell, and a model with a colon survives YAML', () => {
  expect(setupOf('Cline CLI')?.paste?.text).toContain("-k 'sk-a'\\''b'");
  expect(setupOf('Continue')?.paste?.text).toContain('model: "qwen3:8b"');
});

test('every base URL ends in /v1, but for clients of Anthropic’s and Google’s APIs, which append the version themselves', () => {
  for (const setup of setupsFor(connection))
    expect(JSON.stringify(setup).includes('http://gpu:4000/v1'), setup.name).toBe(
      !['Claude Code', 'Anthropic SDKs', 'Gemini CLI', 'Google Gen AI SDKs'].includes(setup.name),
    );
  expect(setupOf('Claude Code')?.paste?.text).toContain('ANTHROPIC_BASE_URL=http://gpu:4000\n');
});

test('JSON files are JSON', () => {
  for (const name of ['Kilo', 'opencode'])
    expect(JSON.parse(setupOf(name)?.paste?.text ?? ''), name).toMatchObject({ model: 'callsmith/qwen3:8b' });
});

test('an unknown context window is marked as a guess', () => {
  const setup = setupOf('Cline', { ...connection, contextLength: null });
  expect(setup?.note).toContain('guess');
  expect(setup?.fields.at(-1)?.value).toBe('32768');
});

test('a base URL ends in one /v1 however it was given', () => {
  for (const url of ['http://h:1', 'http://h:1/', 'http://h:1/v1', 'http://h:1/v1/'])
    expect(withV1(url)).toBe('http://h:1/v1');
});
