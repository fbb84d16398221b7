import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording } from '@callsmith/evaluate';
import { afterAll, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { figuresTable } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'evaluate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const quiet = { model: '', progress: () => {} };
const parameters = { type: 'object', properties: { times: { type: 'integer' } }, required: ['times'] };
const tools = [{ type: 'function', function: { name: 'ring', parameters } }];
const native = (id: string, json: string): Recording => ({
  id,
  group: 'bells',
  tools,
  messages: [{ role: 'user', content: 'Ring twice.' }],
  reply: { text: 'Ringing.', reasoning: '', calls: [{ name: 'ring', arguments: json }] },
  cut: false,
  expects: { kind: 'calls', rules: 'exact', calls: [{ name: 'ring', arguments: { times: [2] } }] },
});
const textReply = (id: string, text: string, expects: NonNullable<Recording['expects']>): Recording => ({
  ...native(id, ''),
  reply: { text, reasoning: '', calls: [] },
  expects,
});
const recordings = [
  native('right', '{"times": 2}'),
  native('mended', '{times: "2",}'),
  native('wrong', '{"times": 3}'),
  textReply('in text', '<tool_call>\n{"name": "ring", "arguments": {"times": 2}}\n</tool_call>', { kind: 'some' }),
  textReply('prose', 'No bell here.', { kind: 'none' }),
];

it('replies are parsed as the gateway parses them, streamed and whole, and compared with what is expected', async () => {
  const rows = await evaluate(recordings, quiet);
  expect(rows.map(({ id, strategy, streamed }) => `${id} ${strategy} ${streamed}`)).toHaveLength(3 * 2 + 2 * 4);
  for (const row of rows.filter(({ id }) => id === 'mended')) {
    expect(row.direct).toMatchObject({ calls: 1, onOffer: 1, json: 0, valid: 0, right: false, textKept: true });
    expect(row.through).toMatchObject({ calls: 1, onOffer: 1, json: 1, valid: 1, right: true, textKept: true });
  }
  for (const row of rows.filter(({ id }) => id === 'in text')) {
    expect(row.direct).toMatchObject({ calls: 0, made: false });
    expect(row.through).toMatchObject({ calls: 1, valid: 1, made: true, textKept: null });
  }
  for (const row of rows.filter(({ id }) => id === 'prose'))
    expect(row.through).toMatchObject({ calls: 0, falseCall: false, textKept: true, made: null, right: null });
  expect(figuresTable(rows)).toContain(
    '| calls that match an accepted answer | 1 of 3, 33.3 % (6.1 %–79.2 %) | 2 of 3, 66.7 % (20.8 %–93.9 %) |',
  );
});

it('appends to the lines of an earlier run, one of them truncated, and writes a page about each miss', async () => {
  const rowsFile = join(folder, 'rows.jsonl');
  const misses = join(folder, 'misses');
  await evaluate(recordings.slice(0, 1), { ...quiet, rowsFile });
  writeFileSync(rowsFile, `${readFileSync(rowsFile, 'utf8')}{"id":"mend`);
  const rows = await evaluate(recordings, { ...quiet, rowsFile, misses, resume: true });
  expect(rows).toHaveLength(14);
  expect(await evaluate(recordings, { ...quiet, rowsFile, resume: true })).toEqual(rows);
  expect(readdirSync(misses)).toEqual(['wrong-native-streamed.md', 'wrong-native-whole.md']);
  expect(readFileSync(join(misses, 'wrong-native-whole.md'), 'utf8')).toContain('"right": false');
});

it('live: a server is sent the messages and tools of each case', async () => {
  const bodies: { model: string; messages: unknown; tools: unknown }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const piece of request) text += piece;
    bodies.push(JSON.parse(text));
    const call = { id: 'c', type: 'function', function: { name: 'ring', arguments: '{"times": 2}' } };
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const live = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const rows = await evaluate(recordings.slice(2, 3), { ...quiet, model: 'bell-1', live });
  server.close();
  expect(bodies).toEqual([{ model: 'bell-1', messages: recordings[2]?.messages, tools }]);
  expect(rows.map(({ through }) => through.right)).toEqual([true, true]);
});

it('live: cases that cannot be sent, and a server that does not answer, are reported', async () => {
  const one = native('lonely', '{}');
  const answers: [number, string][] = [];
  const server = createServer((_, response) => {
    const [status, body] = answers.shift() ?? [200, ''];
    response.writeHead(status).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const live = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const evaluateLive = (recording: Recording) => evaluate([recording], { ...quiet, live });
  await expect(evaluateLive({ ...one, messages: [] })).rejects.toThrow(/^--live .* lonely has none: add "messages"/);
  for (const [status, body, sentence] of [
    [400, 'no such model', /answered 400: no such model/],
    [200, '<html>', /responded without a message: <html>/],
    [200, '{"choices":[]}', /responded without a message/],
    [200, '{"choices":[null]}', /responded without a message/],
  ] as const) {
    answers.push([status, body]);
    await expect(evaluateLive(one)).rejects.toMatchObject({
      name: 'Refused',
      message: expect.stringMatching(sentence),
    });
  }
  await new Promise((closed) => server.close(closed));
  await expect(evaluateLive(one)).rejects.toMatchObject({ name: 'Refused', code: 69 });
});
