import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CodeBlock, documentCode, startMcpServer, type TestMcpServer } from '@callsmith/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './product.ts';

// The commands and programs in documents, run as they are: only addresses, keys and names that a reader replaces are
// replaced.
const root = resolve(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'callsmith-documents-'));
// Programs resolve their packages from here.
const programs = join(root, '.cache', `documents-${process.pid}`);
const blocks = documentCode(root).flatMap((document) => document.blocks.filter(({ notRun }) => !notRun));

let product: Product;
let tickets: TestMcpServer;

beforeAll(async () => {
  product = await startProduct({ env: { DEMO: 'on' } });
  tickets = await startMcpServer([{ name: 'list', run: () => 'one open ticket' }]);
  writeFileSync(join(place, 'replies.jsonl'), `${JSON.stringify(reply)}\n`);
  const parameters = { type: 'dict', properties: { city: { type: 'string' } }, required: ['city'] };
  const id = 'simple_python_0';
  const question = [[{ role: 'user', content: 'Weather in Oslo?' }]];
  const cases = join(place, 'gorilla/berkeley-function-call-leaderboard/bfcl_eval/data');
  const write = (file: string, line: object): void => writeFileSync(join(place, file), `${JSON.stringify(line)}\n`);
  spawnSync('mkdir', ['-p', join(cases, 'possible_answer')]);
  const bfcl = { id, question, function: [{ name: 'get_weather', description: 'Weather', parameters }] };
  write(join(cases.slice(place.length), 'BFCL_v4_simple_python.json'), bfcl);
  write(join(cases.slice(place.length), 'possible_answer/BFCL_v4_simple_python.json'), {
    id,
    ground_truth: [{ get_weather: { city: ['Oslo'] } }],
  });
  write('BFCL_v4_simple_python_result.json', { id, result: [{ get_weather: '{"city": "Oslo"}' }] });
}, 120_000);

afterAll(async () => {
  await tickets?.close();
  await product?.stop();
  for (const folder of [place, programs]) rmSync(folder, { recursive: true, force: true });
});

const reply = {
  messages: [{ role: 'user', content: 'Weather in Oslo?' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ],
  text: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
  expected_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
};

interface McpServer {
  readonly id: string;
}

/** A document's block that another test runs; each names a text that must be in that test. */
const ranElsewhere: readonly (readonly [begins: string, file: string, there: string])[] = [
  ['npm start ', 'e2e/start.test.ts', "spawn('npm', ['start']"],
  ['UPSTREAM_URL=', 'e2e/start.test.ts', 'UPSTREAM_URL'],
  ['cline auth', 'e2e/clients/recipes.ts', 'cline'],
  ['export ANTHROPIC_BASE_URL', 'e2e/clients/recipes.ts', 'ANTHROPIC_BASE_URL'],
  ['export OPENAI_BASE_URL', 'e2e/clients/recipes.ts', 'qwen'],
  ['export GOOGLE_GEMINI_BASE_URL', 'e2e/clients/recipes.ts', 'GOOGLE_GEMINI_BASE_URL'],
  ["import { createOpenAICompatible } from '@ai-sdk", 'e2e/clients/agents/ai-sdk.mjs', 'createOpenAICompatible({'],
  ["import { ChatOpenAI } from '@langchain", 'e2e/clients/agents/langchain.mjs', 'new ChatOpenAI({'],
];

/** A document's program: how it begins, the code before it, the variable with its result, and the expected value. */
const ranHere: readonly {
  readonly begins: string;
  readonly before?: string;
  readonly value: string;
  readonly expected: unknown;
}[] = [
  {
    begins: "import Anthropic from '@anthropic-ai/sdk'",
    value: 'message.content[0].text',
    expected: expect.stringMatching(/\w/),
  },
  { begins: "import { GoogleGenAI } from '@google/genai'", value: 'text', expected: expect.stringMatching(/\w/) },
  {
    begins: 'const skipEmpty: Stage<string, string>',
    before: "import { runSync, type Stage } from '@callsmith/stream';",
    value: "runSync(skipEmpty, ['a', '', 'b']).out",
    expected: ['a', 'b'],
  },
];

/** A block with the addresses, keys and names of this test. */
const filledIn = ({ text }: CodeBlock): string =>
  text
    .replaceAll('http://127.0.0.1:4000', product.url)
    .replaceAll('http://127.0.0.1:8000', product.url)
    .replaceAll('https://tickets.example.com/mcp', tickets.url)
    .replaceAll('"…"', '"a-credential"')
    .replaceAll('sk-your-key', product.apiKey)
    .replaceAll('your-model', 'demo-text')
    .replaceAll('my-model', 'demo-native')
    .replaceAll('qwen2.5-7b-instruct', 'demo-text');

/** Runs a block with a shell, and stops at the first command that fails. */
function run(block: CodeBlock) {
  const filled = filledIn(block)
    .replaceAll('npm run -s callsmith --', `node ${join(root, 'apps/gateway/dist/command.js')}`)
    .replaceAll('curl ', 'curl -sS --fail-with-body ');
  const { API_KEY: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', filled], {
    cwd: place,
    encoding: 'utf8',
    env: {
      ...env,
      CALLSMITH_URL: product.url,
      ADMIN_KEY: product.adminKey,
      API_KEY: product.apiKey,
      DEMO_KEY: product.apiKey,
      OPENAI_API_KEY: product.apiKey,
    },
  });
  return { status, stdout, details: `${block.at}\n${filled}\n${stdout}\n${stderr}` };
}

/** The page's step between its two commands: a team may use nothing until it is granted tools. */
async function giveTool({ id }: McpServer): Promise<void> {
  const adminRequest = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await fetch(`${product.url}${path}`, {
      method,
      headers: { 'x-admin-key': product.adminKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    expect(reply.ok, `${method} ${path}: ${reply.status} ${text}`).toBe(true);
    return JSON.parse(text);
  };
  const { items } = (await adminRequest('GET', '/api/teams')) as { readonly items: readonly McpServer[] };
  await adminRequest('POST', `/api/mcp-servers/${id}/look`);
  for (const team of items)
    await adminRequest('PUT', `/api/mcp-servers/${id}/grants`, { teamId: team.id, tools: ['list'] });
}

it('every runnable block in the documents is run here, by a named test, or says that none runs it', () => {
  expect(blocks.length).toBeGreaterThan(8);
  const begins = [...ranElsewhere.map(([beginning]) => beginning), ...ranHere.map((one) => one.begins)];
  const others = blocks.filter(
    ({ language, text }) => language !== 'sh' && !begins.some((one) => text.startsWith(one)),
  );
  expect(others.map(({ at }) => at)).toEqual([]);
  for (const [begins, file, there] of ranElsewhere) {
    expect(
      blocks.some(({ text }) => text.startsWith(begins)),
      begins,
    ).toBe(true);
    expect(readFileSync(join(root, file), 'utf8')).toContain(there);
  }
});

it('A-9: commands in documents work as described', { timeout: 180_000 }, async () => {
  const runnable = blocks.filter(
    ({ language, text }) => language === 'sh' && !ranElsewhere.some(([begins]) => text.startsWith(begins)),
  );
  for (const block of runnable) {
    const { status, stdout, details } = run(block);
    expect(status, details).toBe(0);
    if (block.at.startsWith('README.md')) expect(stdout, details).toContain('"tool_calls"');
    if (block.text.includes('/api/mcp-servers')) await giveTool(JSON.parse(stdout) as McpServer);
    if (block.text.includes('x-callsmith-agent')) expect(stdout, details).toContain('"choices"');
  }
});

it.each(ranHere)('A-9: the program in a document that begins with $begins works as described', async (program) => {
  const { begins, before = '', value, expected } = program;
  const block = blocks.find(({ text }) => text.startsWith(begins));
  expect(block, begins).toBeDefined();
  mkdirSync(programs, { recursive: true });
  const file = join(programs, `${ranHere.indexOf(program)}.ts`);
  writeFileSync(file, `${before}\n${filledIn(block!)}\nexport const value = ${value};\n`);
  expect(((await import(file)) as { value: unknown }).value).toEqual(expected);
});
