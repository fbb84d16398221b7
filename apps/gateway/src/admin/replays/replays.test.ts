import { shownTurnId } from '@callsmith/data/ids';
import type { TurnRecord } from '@callsmith/data/record';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let leaked: TurnRecord;
let broken: TurnRecord;
let bare: TurnRecord;
let foreign: TurnRecord;

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const clientRequest = JSON.stringify({
  model: 'demo-native',
  messages: [{ role: 'user', content: 'Read a.txt' }],
  tools: [{ type: 'function', function: { name: 'read_file', parameters } }],
});
const answer = (text: string, delivered: object = { text, reasoning: '', calls: [], reason: 'stop' }) => ({
  clientRequest,
  upstreamRequest: '{}',
  raw: [{ choice: 0, text, reasoning: '', cuts: [5], fragments: [] }],
  delivered: [delivered],
  notes: [],
  settings: { dialect: { value: 'hermes', source: 'declared' } },
});

beforeAll(async () => {
  gateway = await startTestGateway();
  const mine = { teamId: gateway.teams.own, dialect: 'hermes', strategyUsed: 'native' as const };
  leaked = testTurn({ ...mine, agoMs: 10_000, outcome: 'none', body: answer('[read_file(path="a.txt")]') });
  broken = failedTurn({ ...mine, agoMs: 20_000 });
  bare = failedTurn({ ...mine, agoMs: 30_000, body: null });
  foreign = failedTurn({ ...mine, agoMs: 15_000, teamId: gateway.teams.other });
  await recordTurns(gateway, [leaked, broken, bare, foreign]);
});
afterAll(() => gateway.stop());

const replay = (body: object, as = gateway.cookies.editor) => gateway.send('POST', '/api/turns/replay', { as, body });
const shown = ({ id }: TurnRecord) => shownTurnId(id);
const audited = async ({ id }: TurnRecord) =>
  (await gateway.send('GET', `/api/audit?targetId=${shownTurnId(id)}`, { as: gateway.cookies.admin })).body.items;

describe('one turn', () => {
  it('security 19: re-parsed with its recorded settings does not differ, and is audited', async () => {
    const { status, body } = await replay({ turn: shown(leaked) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      rows: [
        { id: shown(leaked), dialect: 'hermes', old: { outcome: 'none' }, new: { outcome: 'none' }, differences: [] },
      ],
      more: false,
      delivered: [{ text: '[read_file(path="a.txt")]', calls: [] }],
    });
    expect(await audited(leaked)).toEqual([
      expect.objectContaining({ action: 'turn.replay', actor: 'editor@example.com', after: { dialect: 'hermes' } }),
    ]);
  });

  it('another dialect finds the call', async () => {
    const { body } = await replay({ turn: shown(leaked), dialect: 'pythonic-llama' });
    expect(body.rows[0]).toMatchObject({
      new: { outcome: 'repaired', calls: [{ tool: 'read_file', outcome: 'repaired' }] },
      differences: ['none, now repaired', 'LeakedCall newly found', 'call 1, read_file, is now returned'],
    });
    expect(body.delivered).toMatchObject([{ calls: [{ name: 'read_file' }] }]);
    const refused = await replay({ turn: shown(leaked), dialect: 'klingon' });
    expect(refused.body.error).toMatchObject({ code: 'invalid_parameter', param: 'dialect' });
  });

  it('gives the reason if it cannot be re-parsed', async () => {
    expect((await replay({ turn: shown(bare) })).body.error.message).toContain('is not stored');
    expect((await replay({ turn: 'turn_nonsense' })).status).toBe(404);
  });

  it('security 29: that of another team is not found', async () => {
    expect((await replay({ turn: shown(foreign) })).status).toBe(404);
    expect(await audited(foreign)).toEqual([]);
    expect((await replay({ turn: shown(foreign) }, gateway.cookies.admin)).status).toBe(200);
    expect((await replay({ turn: shown(leaked) }, gateway.cookies.viewer)).status).toBe(403);
  });
});

describe('many turns', () => {
  it('are those that match the filter, are stored and of the own team, newest first', async () => {
    const { body } = await replay({});
    expect(body.rows.map(({ id }: { id: string }) => id)).toEqual([leaked, broken].map(shown));
    expect(body).toMatchObject({ more: false, delivered: null });
    const failures = await replay({ failures: 'true' });
    expect(failures.body.rows.map(({ id }: { id: string }) => id)).toEqual([shown(broken)]);
    expect((await audited(broken)).length).toBe(2);
    expect((await replay({ teamId: gateway.teams.other })).status).toBe(404);
  });

  it('are limited in number, and the response says that there are more', async () => {
    const { body } = await replay({ limit: 1 });
    expect(body).toMatchObject({ rows: [{ id: shown(leaked) }], more: true });
    expect((await replay({ limit: 201 })).body.error.param).toBe('limit');
  });

  it('are not all that match if it stopped before it had looked at all', async () => {
    const { own: teamId } = gateway.teams;
    const bare = Array.from({ length: 2001 }, () => failedTurn({ teamId, agoMs: 60_000, model: 'many', body: null }));
    await recordTurns(gateway, [failedTurn({ teamId, agoMs: 90_000, model: 'many' }), ...bare]);
    expect((await replay({ model: 'many' })).body).toMatchObject({ rows: [], more: true });
  });

  it('one replay runs at a time', async () => {
    let both: ReturnType<typeof replay>[] = [];
    await gateway.prisma.$transaction(async (tables) => {
      await tables.$executeRaw`LOCK TABLE audit IN ACCESS EXCLUSIVE MODE`;
      both = [replay({}), replay({})];
      expect((await Promise.race(both)).status).toBe(409);
    });
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await replay({})).status).toBe(200);
  });
});
