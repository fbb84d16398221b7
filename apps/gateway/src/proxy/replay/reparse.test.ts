import type { TurnRecord } from '@callsmith/data/record';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from '../test/test-proxy.ts';
import {
  call,
  chunk,
  done,
  json,
  open,
  role,
  startUpstream,
  stop,
  stream,
  type TestUpstream,
  text,
} from '../test/test-upstream.ts';
import { type RecordedRequest, reparse } from './reparse.ts';

let simulator: Simulator;
let upstream: TestUpstream;
let proxy: TestProxy;

const names = ['sim-native', 'sim-leaky', 'sim-flaky', 'sim-refuses-tools'];
const strategies = ['native', 'prompt'] as const;

beforeAll(async () => {
  simulator = await startSimulator();
  upstream = await startUpstream();
  proxy = await startProxy([
    ...names.flatMap((name) =>
      strategies.map((strategy) => ({
        name: `${name}, ${strategy}`,
        upstreamModel: name,
        strategy,
        dialect: 'hermes',
        holdBytes: 64,
        baseUrls: [`${simulator.url}/v1`],
      })),
    ),
    ...([...strategies, 'auto'] as const).map((strategy) => ({
      name: `scripted, ${strategy}`,
      strategy,
      dialect: 'hermes',
      baseUrls: [upstream.baseUrl],
    })),
    { name: 'mapped', strategy: 'prompt', mappedDialect: 'hermes', baseUrls: [upstream.baseUrl] },
    { name: 'unknown', strategy: 'prompt', mappedDialect: 'auto', baseUrls: [upstream.baseUrl] },
  ]);
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([simulator.close(), upstream.close()]);
});

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ type: 'function', function: { name: 'read_file', parameters } }];

/** Asks and reads the answer to its end, or hangs up after so many milliseconds. */
async function recordedTurn(body: object, path = '/v1/chat/completions', hangUpMs?: number): Promise<TurnRecord> {
  const before = proxy.recorder.turns.length;
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Read the file a.txt' }], tools, ...body }),
    ...(hangUpMs !== undefined && { signal: AbortSignal.timeout(hangUpMs) }),
  });
  await (hangUpMs === undefined ? reply.text() : reply.text().catch(() => undefined));
  await expect.poll(() => proxy.recorder.turns.length).toBe(before + 1);
  return proxy.recorder.turns[before]!;
}

/** What the record gives back of a turn. */
function storedOf({ body, ...turn }: TurnRecord): RecordedRequest {
  const kept = JSON.parse(JSON.stringify(body)) as NonNullable<TurnRecord['body']>;
  return {
    ...turn,
    ...kept,
    strategyUsed: turn.strategyUsed === 'prompt' ? 'prompt' : 'native',
    delivered: kept.delivered as RecordedRequest['delivered'],
  };
}

const textsAndCalls = (choices: unknown) =>
  (choices as { text: string; calls: { name: string; arguments: string }[] }[]).map((choice) => ({
    text: choice.text,
    calls: choice.calls.map((one) => [one.name, one.arguments]),
  }));

async function expectSame(turn: TurnRecord): Promise<void> {
  const again = await reparse(storedOf(turn), undefined);
  expect(again).toMatchObject({ outcome: turn.outcome, classes: turn.classes, errorCode: turn.errorCode });
  expect(again.calls).toEqual(turn.calls);
  expect(textsAndCalls(again.choices)).toEqual(textsAndCalls(turn.body?.delivered));
}

describe('re-parsed with its recorded settings, a response gives the recorded result', () => {
  for (const name of names)
    for (const strategy of strategies)
      it(`${name}, ${strategy}`, async () => {
        for (let n = 0; n < 6; n++) {
          const content = `Read the file ${n}.txt`;
          const body = { model: `${name}, ${strategy}`, messages: [{ role: 'user', content }], stream: n % 2 === 0 };
          await expectSame(await recordedTurn(body, n % 3 === 0 ? '/proxy/chat/completions' : undefined));
        }
      });

  it('of /v1/responses too', async () => {
    for (const name of ['sim-leaky, native', 'sim-flaky, prompt']) {
      const flat = [{ type: 'function', name: 'read_file', parameters }];
      const body = { model: name, messages: undefined, input: 'Read the file a.txt', tools: flat, stream: true };
      const turn = await recordedTurn(body, '/v1/responses');
      expect(turn.calls.length).toBeGreaterThan(0);
      await expectSame(turn);
    }
  });

  it('if it was cut, by its length or by the connection', async () => {
    const begun = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a';
    for (const [model, ...events] of [
      ['scripted, prompt', role, text(begun), chunk({}, 'length'), done],
      ['scripted, prompt', role, text('Well. '), text(begun)],
      ['scripted, native', role, call(0, 'read_file', '{"path": "a'), chunk({}, 'length'), done],
      ['scripted, native', role, call(0, 'read_file', '{"path": "a.txt"}')],
    ] as const) {
      upstream.behave(stream(...events));
      for (const streamed of [true, false]) await expectSame(await recordedTurn({ model, stream: streamed }));
    }
  });

  it('if the client disconnected', async () => {
    for (const events of [
      [role, text('Well, I will '), text('read the file.')],
      [role, text('Well. '), text('<tool_call>\n{"name": "read_file", "arguments": {"path": "a')],
      [role, text('<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>'), text('\nAnd')],
    ]) {
      upstream.behave((response) => {
        open(response);
        response.write(events.join(''));
      });
      const turn = await recordedTurn({ model: 'scripted, prompt', stream: true }, undefined, 300);
      expect(turn.errorCode).toBe('client_disconnected');
      await expectSame(turn);
    }
  });

  it('where the model server could not do native calls and was asked again by prompt', async () => {
    upstream.behave(
      json(400, { error: { message: '"auto" tool choice requires --enable-auto-tool-choice' } }),
      stream(
        role,
        text('<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>'),
        stop,
        done,
      ),
    );
    const turn = await recordedTurn({ model: 'scripted, auto', stream: true });
    expect(turn).toMatchObject({ strategyUsed: 'prompt', attempts: 2 });
    await expectSame(turn);
  });

  it('D-33 if no dialect was declared, and a call without markers came', async () => {
    upstream.behave(stream(role, text('[read_file(path="a.txt")]'), stop, done));
    for (const model of ['mapped', 'unknown']) {
      const turn = await recordedTurn({ model, stream: true });
      expect(turn.calls).toHaveLength(1);
      await expectSame(turn);
      expect((await reparse(storedOf(turn), 'hermes')).calls).toEqual([]);
    }
  });

  it('if a call was required and none came', async () => {
    upstream.behave(stream(role, text('No.'), stop, done));
    const turn = await recordedTurn({ model: 'scripted, prompt', tool_choice: 'required' });
    expect(turn.errorCode).toBe('tool_call_required');
    await expectSame(turn);
  });
});

it('re-parsed in another dialect, a response gives another result', async () => {
  upstream.behave(stream(role, text('[read_file('), text('path="a.txt")]'), stop, done));
  const turn = await recordedTurn({ model: 'scripted, native', stream: true });
  expect(turn.outcome).toBe('none');
  const stored = storedOf(turn);
  expect(stored.raw[0]?.cuts).toEqual([11, 25]);
  const again = await reparse(stored, 'pythonic-llama');
  expect(again).toMatchObject({ outcome: 'repaired', classes: ['LeakedCall'] });
  expect(textsAndCalls(again.choices)).toEqual([
    { text: '', calls: [['read_file', expect.stringContaining('"a.txt"')]] },
  ]);
});

it('a response whose request was not stored completely is not parsed', async () => {
  upstream.behave(stream(role, text('Yes.'), stop, done));
  const stored = storedOf(await recordedTurn({ model: 'scripted, native' }));
  for (const clientRequest of [null, '{"model":"m"… (7 more characters were not kept)', '[]'])
    await expect(reparse({ ...stored, clientRequest }, undefined)).rejects.toThrow('not stored completely');
});

it('yields to requests while it parses a long response', async () => {
  upstream.behave(stream(role, text('Yes.'), stop, done));
  const stored = storedOf(await recordedTurn({ model: 'scripted, prompt' }));
  const long = 'word '.repeat(200_000);
  const cuts = Array.from({ length: long.length / 50 }, (_, n) => (n + 1) * 50);
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await reparse({ ...stored, raw: [{ choice: 0, text: long, reasoning: '', cuts, fragments: [] }] }, 'auto');
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});
