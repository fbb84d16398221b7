import type { PlaygroundEvent, PlaygroundResult } from '@callsmith/contracts';
import { shownTurnId } from '@callsmith/data/ids';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
} from '../../proxy/test/test-upstream.ts';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns } from '../test-turns.ts';

let gateway: TestGateway;
let url: string;
const upstreams: TestUpstream[] = [];
const models: string[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  for (const name of ['one', 'two']) {
    const upstream = await startUpstream();
    upstreams.push(upstream);
    const as = gateway.cookies.admin;
    const at = await gateway.send('POST', '/api/upstreams', { as, body: { name, baseUrl: upstream.baseUrl } });
    const routes = [{ upstreamId: at.body.id, upstreamModel: `${name}-model` }];
    const model = await gateway.send('POST', '/api/models', { as, body: { name, routes } });
    models.push(model.body.id);
  }
  await gateway.app.listen(0, '127.0.0.1');
  url = await gateway.app.getUrl();
});
afterAll(async () => {
  await gateway.stop();
  for (const upstream of upstreams) await upstream.close();
});
beforeEach(() => {
  for (const upstream of upstreams) {
    upstream.received.length = 0;
    upstream.behave(stream(role, text('Hello.'), stop, done));
  }
});

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const request = {
  messages: [{ role: 'user', content: 'Read a.txt' }],
  tools: [{ type: 'function', function: { name: 'read', parameters } }],
};
const column = (n: number, more: object = {}) => ({ model: models[n], strategy: 'native', ...more });
const written = '<tool_call>\n{"name": "read", "arguments": {"path": "a.txt"}}\n</tool_call>';

const send = (body: object, as: keyof TestGateway['cookies'] = 'admin', signal?: AbortSignal) =>
  fetch(`${url}/api/playground`, {
    method: 'POST',
    headers: { cookie: gateway.cookies[as], 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
const eventsIn = (sse: string): PlaygroundEvent[] =>
  sse
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice(6)));
async function ran(body: object): Promise<{ events: PlaygroundEvent[]; results: PlaygroundResult[] }> {
  const events = eventsIn(await (await send(body)).text());
  const results: PlaygroundResult[] = [];
  for (const event of events) if (event.type === 'done') results[event.column] = event.result;
  return { events, results };
}
const audited = async (query: string) =>
  (await gateway.send('GET', `/api/audit?${query}`, { as: gateway.cookies.admin })).body.items;
const problemOf = async (reply: Response) => ({ status: reply.status, ...((await reply.json()) as object) });

describe('a request written by hand', () => {
  it('runs in two columns at the same time; each shows model output, parsed calls and response, and nothing is recorded', async () => {
    upstreams[0]?.behave(stream(role, call(0, 'read', '{"path": "a.txt"}'), chunk({}, 'tool_calls'), done));
    upstreams[1]?.behave(stream(role, text(written), stop, done));
    const before = await gateway.prisma.turn.count();
    const { events, results } = await ran({
      columns: [column(0), column(1, { strategy: 'prompt', dialect: 'hermes' })],
      request,
    });
    expect(results).toMatchObject([
      {
        outcome: 'clean',
        strategyUsed: 'native',
        upstream: 'one',
        raw: [[{ text: '', fragments: [{ name: 'read', arguments: '{"path": "a.txt"}' }] }]],
        delivered: [{ calls: [{ name: 'read', arguments: '{"path": "a.txt"}', whole: true }] }],
        errorCode: null,
      },
      {
        outcome: 'clean',
        strategyUsed: 'prompt',
        dialect: 'hermes',
        calls: [{ tool: 'read', outcome: 'clean' }],
        raw: [[{ text: written }]],
        delivered: [{ text: '', calls: [{ name: 'read' }] }],
      },
    ]);
    const eventTypes = (n: number) => events.filter((event) => event.column === n).map(({ type }) => type);
    for (const n of [0, 1]) {
      expect(eventTypes(n)).toEqual(expect.arrayContaining(['attempt', 'begin', 'raw', 'delivered']));
      expect(eventTypes(n).at(-1)).toBe('done');
    }
    expect(upstreams[0]?.received[0]?.body).toMatchObject({ model: 'one-model', stream: true });
    expect(upstreams[0]?.received[0]?.body).toHaveProperty('tools');
    expect(upstreams[1]?.received[0]?.body).not.toHaveProperty('tools');
    expect(await gateway.prisma.turn.count()).toBe(before);
    expect(await audited('targetKind=playground')).toEqual([
      expect.objectContaining({
        action: 'playground.run',
        actor: 'admin@callsmith.local',
        after: { columns: [column(0), column(1, { strategy: 'prompt', dialect: 'hermes' })] },
      }),
    ]);
  });

  it('with auto uses the model’s current strategy, and learns nothing on the way', async () => {
    const refusal = json(400, { error: { message: '"auto" tool choice requires --enable-auto-tool-choice' } });
    upstreams[0]?.behave(refusal, stream(role, text(written), stop, done));
    const { results } = await ran({ columns: [column(0, { strategy: 'auto', dialect: 'auto' })], request });
    expect(results).toMatchObject([
      { outcome: 'clean', strategyUsed: 'prompt', delivered: [{ calls: [{ name: 'read' }] }] },
    ]);
    const withTools = upstreams[0]?.received.map(({ body }) => 'tools' in body) ?? [];
    expect([withTools[0], withTools.at(-1)]).toEqual([true, false]);
    await gateway.app.get(PostgresConfigSnapshot, { strict: false }).writeLessons();
    const { body } = await gateway.send('GET', `/api/models/${models[0]}`, { as: gateway.cookies.admin });
    expect(body.learned).toEqual([]);
  });

  it('is streamed while the model answers', async () => {
    let finish = (): void => {};
    upstreams[0]?.behave((response) => {
      open(response);
      response.write(role + text('First words'));
      finish = () => response.end(text(' and the last.') + stop + done);
    });
    const reader = (await send({ columns: [column(0)], request: { messages: request.messages } })).body?.getReader();
    let sse = '';
    while (!eventsIn(sse).some(({ type }) => type === 'delivered')) sse += Buffer.from((await reader!.read()).value!);
    expect(sse).toContain('First words');
    expect(sse).not.toContain('"done"');
    finish();
    for (let piece = await reader!.read(); !piece.done; piece = await reader!.read()) sse += Buffer.from(piece.value);
    expect(eventsIn(sse).at(-1)).toMatchObject({
      type: 'done',
      result: { outcome: null, delivered: [{ text: 'First words and the last.' }] },
    });
  });

  it('a column that fails does not end the other', async () => {
    upstreams[0]?.behave(json(400, { error: { message: 'this model has no tools' } }));
    upstreams[1]?.behave(async (response) => {
      open(response);
      await new Promise((wait) => setTimeout(wait, 100));
      response.end(role + text('Here.') + stop + done);
    });
    const { results } = await ran({ columns: [column(0), column(1)], request });
    expect(results).toMatchObject([
      { outcome: null, errorCode: 'upstream_rejected', delivered: null, raw: [] },
      { outcome: 'none', errorCode: null, delivered: [{ text: 'Here.' }] },
    ]);
    expect(results[0]?.errorMessage).toContain('this model has no tools');
  });

  it('that no model accepts shows the reason in each column', async () => {
    const { results } = await ran({ columns: [column(0)], request: { messages: 'hello' } });
    expect(results[0]).toMatchObject({ errorCode: expect.stringContaining('invalid'), delivered: null });
    expect(results[0]?.errorMessage).toContain('messages');
    expect(upstreams[0]?.received).toEqual([]);
  });

  it('disconnecting aborts the upstream requests, and frees their slots', async () => {
    for (const upstream of upstreams) upstream.behave(open);
    const four = [column(0), column(1), column(0), column(1)];
    const stopping = Array.from({ length: 4 }, () => new AbortController());
    const replies = await Promise.all(stopping.map(({ signal }) => send({ columns: four, request }, 'admin', signal)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await expect.poll(() => upstreams.map(({ received }) => received.length)).toEqual([8, 8]);
    expect(await problemOf(await send({ columns: [column(0)], request }))).toMatchObject({
      status: 429,
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining('wait') },
    });
    for (const one of stopping) one.abort();
    await Promise.all(upstreams.flatMap(({ received }) => received.map(({ hungUp }) => hungUp)));
    upstreams[0]?.behave(stream(role, text('Hello.'), stop, done));
    const again = async () => {
      const reply = await send({ columns: [column(0)], request });
      await reply.text();
      return reply.status;
    };
    await expect.poll(again).toBe(200);
  });

  it('is only for admins', async () => {
    for (const as of ['viewer', 'editor'] as const)
      expect((await send({ columns: [column(0)], request }, as)).status).toBe(403);
  });

  it.each([
    ['no column', () => ({ columns: [], request }), 400, 'columns'],
    ['five columns', () => ({ columns: Array(5).fill(column(0)), request }), 400, 'columns'],
    [
      'an unknown model',
      () => ({ columns: [column(0), { ...column(0), model: 'x' }], request }),
      404,
      'columns[1].model',
    ],
    [
      'an unknown dialect',
      () => ({ columns: [column(0, { dialect: 'klingon' })], request }),
      400,
      'columns[0].dialect',
    ],
    [
      'an unknown strategy',
      () => ({ columns: [column(0, { strategy: 'often' })], request }),
      400,
      'columns[0].strategy',
    ],
    ['neither a request nor a recorded one', () => ({ columns: [column(0)] }), 400, 'request'],
    ['both', () => ({ columns: [column(0)], request, turn: 'turn_x' }), 400, 'request'],
  ])('is refused with %s, at its field', async (_, body, status, param) => {
    expect(await problemOf(await send(body()))).toMatchObject({ status, error: { param } });
    expect(upstreams[0]?.received).toEqual([]);
  });

  it('is refused if it is longer than the admin API accepts', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(1024 * 1024) }];
    expect((await send({ columns: [column(0)], request: { messages } })).status).toBe(413);
  });
});

describe('a recorded request', () => {
  const stored = (clientRequest: string) => ({
    clientRequest,
    upstreamRequest: null,
    raw: [],
    delivered: null,
    notes: [],
    settings: {},
  });

  it('security 19: runs again on another model and strategy as it was stored, and is audited once', async () => {
    const clientRequest = JSON.stringify({ model: 'demo-native', max_tokens: 77, ...request });
    const turn = failedTurn({ teamId: gateway.teams.other, body: stored(clientRequest) });
    await recordTurns(gateway, [turn]);
    upstreams[0]?.behave(
      json(200, { choices: [{ index: 0, message: { role: 'assistant', content: written }, finish_reason: 'stop' }] }),
    );
    const before = await gateway.prisma.turn.count();
    const id = shownTurnId(turn.id);
    const { results } = await ran({ columns: [column(0, { strategy: 'prompt', dialect: 'hermes' })], turn: id });
    expect(results[0]).toMatchObject({
      outcome: 'clean',
      raw: [[{ text: written }]],
      delivered: [{ calls: [{ name: 'read' }] }],
    });
    expect(upstreams[0]?.received[0]?.body).toMatchObject({ model: 'one-model', max_tokens: 77 });
    expect(await gateway.prisma.turn.count()).toBe(before);
    expect(await audited(`targetId=${id}`)).toEqual([expect.objectContaining({ action: 'turn.rerun' })]);
  });

  it('that is not stored, not stored completely, or missing says so, and nothing is sent', async () => {
    const bare = failedTurn({ teamId: gateway.teams.own, body: null });
    const long = failedTurn({ teamId: gateway.teams.own, body: stored(`"${'x'.repeat(1_100_000)}"`) });
    await recordTurns(gateway, [bare, long]);
    const refused = async (turn: string) => problemOf(await send({ columns: [column(0)], turn }));
    expect(await refused(shownTurnId(bare.id))).toMatchObject({
      status: 409,
      error: { message: expect.stringContaining('not stored') },
    });
    expect(await refused(shownTurnId(long.id))).toMatchObject({
      status: 409,
      error: { message: expect.stringContaining('too long') },
    });
    expect((await refused('turn_nonsense')).status).toBe(404);
    expect(upstreams[0]?.received).toEqual([]);
    expect(await audited(`targetId=${shownTurnId(long.id)}`)).toEqual([]);
  });
});
