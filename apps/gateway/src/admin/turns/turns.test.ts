import { shownTurnId, turnTime } from '@callsmith/data/ids';
import type { TurnRecord } from '@callsmith/data/record';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let own: TurnRecord[];
let foreign: TurnRecord;
let modelId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  modelId = (await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } })).id;
  const mine = { teamId: gateway.teams.own, modelId };
  own = [
    failedTurn({ ...mine, agoMs: 10_000 }),
    failedTurn({ ...mine, agoMs: 20_000, client: 'kilo', requestId: 'req_kilo', conversation: 'talk' }),
    testTurn({ ...mine, agoMs: 30_000, conversation: 'talk', streamed: false, engineVersion: '0.12.1' }),
    testTurn({
      ...mine,
      agoMs: 40_000,
      outcome: null,
      toolsOffered: 0,
      status: 504,
      errorOrigin: 'upstream',
      errorCode: 'upstream_timeout',
      errorMessage: '=1+1',
    }),
    testTurn({ ...mine, agoMs: 3 * 86_400_000 }),
  ];
  foreign = failedTurn({ teamId: gateway.teams.other, modelId, agoMs: 15_000 });
  await recordTurns(gateway, [...own, foreign]);
});
afterAll(() => gateway.stop());

const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);
const shown = (turns: (TurnRecord | undefined)[]) => turns.map((turn) => shownTurnId(turn!.id));

describe('lists', () => {
  it('security 29: show the team’s own turns, newest first', async () => {
    const { body } = await gateway.send('GET', '/api/turns', { as: gateway.cookies.viewer });
    expect(idsOf(body)).toEqual(shown(own.slice(0, 4)));
    expect(body.items[0]).toMatchObject({ team: 'default', model: 'demo-native', outcome: 'failed', inputTokens: 100 });
    const all = await gateway.send('GET', '/api/turns', { as: gateway.cookies.admin });
    expect(idsOf(all.body)).toContain(shownTurnId(foreign.id));
    const response = await gateway.send('GET', `/api/turns?teamId=${gateway.teams.other}`, {
      as: gateway.cookies.viewer,
    });
    expect(response.status).toBe(404);
  });

  it('have the fields that clients read, in their order', async () => {
    const { body } = await gateway.send('GET', '/api/turns', { as: gateway.cookies.viewer });
    const fields =
      'id,at,requestId,route,teamId,team,keyId,key,modelId,model,fallbackModel,upstream,engineVersion,' +
      'strategy,strategyUsed,dialect,client,conversation,streamed,outcome,classes,corrected,toolsOffered,calls,inputTokens,' +
      'outputTokens,cachedTokens,spend,tokenSource,correctionTokens,agentRounds,agentLimit,addedUs,firstTokenMs,totalMs,attempts,status,errorOrigin,errorCode,errorMessage,stored';
    expect(Object.keys(body.items[0]).join(',')).toBe(fields);
    const file = await gateway.send('GET', '/api/turns/export?format=json', { as: gateway.cookies.viewer });
    expect(Object.keys(file.body[0]).join(',')).toBe(fields);
    expect(file.body.slice(0, 4)).toEqual(body.items);
    expect(body.items[3]).toEqual({
      id: shownTurnId(own[3]!.id),
      at: turnTime(own[3]!.id).toISOString(),
      requestId: 'req_test',
      route: '/v1/chat/completions',
      teamId: gateway.teams.own,
      team: 'default',
      keyId: null,
      key: null,
      modelId,
      model: 'demo-native',
      fallbackModel: null,
      upstream: null,
      engineVersion: '0.11.0',
      strategy: 'auto',
      strategyUsed: 'native',
      dialect: 'hermes',
      client: 'cline',
      conversation: null,
      streamed: true,
      outcome: null,
      classes: [],
      corrected: null,
      toolsOffered: 0,
      calls: 0,
      inputTokens: 100,
      outputTokens: 20,
      cachedTokens: null,
      spend: null,
      tokenSource: 'upstream',
      correctionTokens: null,
      agentRounds: null,
      agentLimit: null,
      addedUs: 900,
      firstTokenMs: 40,
      totalMs: 400,
      attempts: 1,
      status: 504,
      errorOrigin: 'upstream',
      errorCode: 'upstream_timeout',
      errorMessage: '=1+1',
      stored: false,
    });
  });

  it('come in pages and can be filtered', async () => {
    const as = gateway.cookies.viewer;
    const first = await gateway.send('GET', '/api/turns?limit=3', { as });
    const rest = await gateway.send('GET', `/api/turns?limit=3&cursor=${first.body.next}`, { as });
    expect([...idsOf(first.body), ...idsOf(rest.body)]).toEqual(shown(own.slice(0, 4)));
    expect(rest.body.next).toBeNull();
    const get = async (query: string) => idsOf((await gateway.send('GET', `/api/turns?${query}`, { as })).body);
    expect(await get('client=kilo')).toEqual(shown([own[1]]));
    expect(await get('class=InvalidJson&tool=write_file')).toEqual(shown(own.slice(0, 2)));
    expect(await get('model=demo-native&outcome=clean')).toEqual(shown([own[2]]));
    expect(await get('strategy=native&client=kilo')).toEqual(shown([own[1]]));
    expect(await get('strategy=prompt')).toEqual([]);
    expect(await get('keyId=key_of_nobody')).toEqual([]);
    expect(await get('requestId=req_kilo')).toEqual(shown([own[1]]));
    expect(await get('conversation=talk')).toEqual(shown([own[1], own[2]]));
    expect(await get('conversation=talk&streamed=false')).toEqual(shown([own[2]]));
    expect(await get('engine=0.12.1')).toEqual(shown([own[2]]));
    const from = new Date(Date.now() - 7 * 86_400_000).toISOString();
    expect(await get(`from=${from}`)).toEqual(shown(own));
  });

  it('failures are what is not clean', async () => {
    const { body } = await gateway.send('GET', '/api/failures', { as: gateway.cookies.viewer });
    expect(idsOf(body)).toEqual(shown([own[0], own[1], own[3]]));
  });

  it('refuse an invalid filter', async () => {
    const { body } = await gateway.send('GET', '/api/turns?class=Nonsense&from=yesterday', {
      as: gateway.cookies.viewer,
    });
    expect(body.error.fields.map(({ path }: { path: string }) => path).sort()).toEqual(['class', 'from']);
    const backwards = '/api/turns?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect((await gateway.send('GET', backwards, { as: gateway.cookies.viewer })).body.error.param).toBe('from');
  });
});

describe('a search in message content', () => {
  const turnWithText = (teamId: string, agoMs: number, input: string, json = '{}') => {
    const { body, ...turn } = failedTurn({ teamId, modelId, agoMs: agoMs + 5 * 86_400_000 });
    return {
      ...turn,
      body: {
        ...body!,
        clientRequest: JSON.stringify({ model: 'demo-native', input }),
        raw: [{ choice: 0, text: 'The weather is fine.', reasoning: '', cuts: [], fragments: [] }],
        delivered: [{ text: 'The weather is fine.', reasoning: '', calls: [{ name: 'write_file', arguments: json }] }],
      },
    };
  };
  const range = `from=${new Date(Date.now() - 6 * 86_400_000).toISOString()}`;
  const find = async (query: string, as: string) => {
    const { body } = await gateway.send('GET', `/api/turns?${range}&${query}`, { as });
    return idsOf(body);
  };
  let mine: TurnRecord[];
  let otherTeamTurn: TurnRecord;

  beforeAll(async () => {
    mine = [
      turnWithText(
        gateway.teams.own,
        0,
        'Fix src/app/main.ts please, key sk-abcdefghijklmnopqrst',
        '{"edits":[{"path":"a"}]}',
      ),
      turnWithText(gateway.teams.own, 1_000, '天気予報を見て'),
    ];
    otherTeamTurn = turnWithText(gateway.teams.other, 2_000, 'Fix src/app/main.ts quietly');
    await recordTurns(gateway, [...mine, otherTeamTurn]);
  });

  it('finds words, paths, phrases and arguments, the newest first', async () => {
    const as = gateway.cookies.editor;
    expect(await find('text=src/app/mai', as)).toEqual(shown([mine[0]]));
    expect(await find('text=MAIN.ts', as)).toEqual(shown([mine[0]]));
    expect(await find('text=weather', as)).toEqual(shown(mine));
    expect(await find('text=weather&limit=1', as)).toEqual(shown([mine[0]]));
    expect(await find('text=weather+please', as)).toEqual(shown([mine[0]]));
    expect(await find('text=%22weather+please%22', as)).toEqual([]);
    expect(await find(`text=${encodeURIComponent('予報')}`, as)).toEqual(shown([mine[1]]));
    expect(await find('argument=edits.path', as)).toEqual(shown([mine[0]]));
    expect(await find('argument=path', as)).toEqual([]);
    expect(await find('text=weather&tool=write_file&client=cline', as)).toEqual(shown(mine));
    expect(await find('text=weather&tool=other', as)).toEqual([]);
    const { body } = await gateway.send('GET', `/api/failures/clusters?${range}&text=please`, { as });
    expect(body.total).toBe(1);
  });

  it('security 29: finds nothing of another team', async () => {
    expect(await find('text=quietly', gateway.cookies.editor)).toEqual([]);
    expect(await find('text=main.ts', gateway.cookies.admin)).toEqual(shown([mine[0], otherTeamTurn]));
    const { body } = await gateway.send('GET', `/api/turns/facets?${range}&text=quietly`, {
      as: gateway.cookies.editor,
    });
    expect(body.total).toBe(0);
  });

  it('security 19: is for users who may read message content, and is audited once', async () => {
    for (const path of [
      '/api/turns',
      '/api/turns/facets',
      '/api/failures',
      '/api/failures/clusters',
      '/api/turns/export',
    ])
      for (const query of ['text=weather', 'argument=path']) {
        const { status, body } = await gateway.send('GET', `${path}?${query}`, { as: gateway.cookies.viewer });
        expect([status, body.error?.message]).toEqual([403, expect.stringContaining('editors')]);
      }
    for (let n = 0; n < 3; n++) await find('text=audited+search', gateway.cookies.editor);
    const { body } = await gateway.send('GET', '/api/audit?kind=reads', { as: gateway.cookies.admin });
    const searches = body.items.filter(
      ({ after }: { after: { text?: string } | null }) => after?.text === 'audited search',
    );
    expect(searches).toEqual([expect.objectContaining({ action: 'turns.search', actor: 'editor@example.com' })]);
  });

  it('security 20: finds no secret', async () => {
    expect(await find('text=abcdefghijklmnopqrst', gateway.cookies.admin)).toEqual([]);
    expect(await find('text=sk-abcdefghijklmnopqrst', gateway.cookies.admin)).toEqual([]);
  });

  it('explains what is wrong with a query without words', async () => {
    for (const text of ['%22', '{}', "':*%26!", '']) {
      const { status, body } = await gateway.send('GET', `/api/turns?text=${text}`, { as: gateway.cookies.editor });
      expect([status, body.error.param]).toEqual([400, 'text']);
    }
  });
});

describe('facets', () => {
  const valuesOf = (body: { facets: { name: string; values: { value: string; count: number }[] }[] }, name: string) =>
    body.facets.find((facet) => facet.name === name)?.values.map(({ value, count }) => [value, count]);

  it('security 29: count only the team’s own turns, whatever is requested', async () => {
    for (const as of [gateway.cookies.viewer, gateway.cookies.editor])
      for (const query of ['', '?outcome=failed', `?teamId=${gateway.teams.own}`, '?client=cline&tool=write_file']) {
        const { status, body } = await gateway.send('GET', `/api/turns/facets${query}`, { as });
        expect(status).toBe(200);
        expect(body.facets.map(({ name }: { name: string }) => name)).not.toContain('team');
        expect(JSON.stringify(body)).not.toContain(gateway.teams.other);
        const list = await gateway.send('GET', `/api/turns${query}`, { as });
        expect(body.total).toBe(list.body.items.length);
        for (const [outcome, count] of valuesOf(body, 'outcome') ?? [])
          expect(count).toBeLessThanOrEqual(outcome === 'failed' ? 2 : 1);
      }
    const as = gateway.cookies.viewer;
    expect((await gateway.send('GET', `/api/turns/facets?teamId=${gateway.teams.other}`, { as })).status).toBe(404);
    expect((await gateway.send('GET', '/api/turns/facets', {})).status).toBe(401);
    const all = await gateway.send('GET', '/api/turns/facets', { as: gateway.cookies.admin });
    expect(valuesOf(all.body, 'outcome')).toContainEqual(['failed', 3]);
    expect(all.body.facets.find(({ name }: { name: string }) => name === 'team').values).toContainEqual({
      value: gateway.teams.own,
      label: 'default',
      count: 4,
    });
  });

  it('give values that the list can be filtered by', async () => {
    const as = gateway.cookies.viewer;
    const { body } = await gateway.send('GET', '/api/turns/facets?client=kilo', { as });
    expect(body).toMatchObject({ total: 1, newest: null });
    expect(valuesOf(body, 'model')).toEqual([['demo-native', 1]]);
    expect(valuesOf(body, 'client')).toEqual([
      ['cline', 3],
      ['kilo', 1],
    ]);
    await recordTurns(gateway, [testTurn({ teamId: gateway.teams.own, client: 'codex' })]);
    const { body: refused } = await gateway.send('GET', '/api/turns/facets?client=codex', { as });
    expect(valuesOf(refused, 'model')).toEqual([]);
    expect(refused.total).toBe(1);
    await gateway.prisma.turn.deleteMany({ where: { client: 'codex' } });
    expect((await gateway.send('GET', '/api/turns/facets?class=Nonsense', { as })).body.error.param).toBe('class');
  });
});

describe('one turn', () => {
  it('security 19: an editor reads message content, and that is audited', async () => {
    const id = shownTurnId(own[0]!.id);
    const { body } = await gateway.send('GET', `/api/turns/${id}`, { as: gateway.cookies.editor });
    expect(body.callList).toEqual([
      expect.objectContaining({ tool: 'write_file', outcome: 'failed', action: 'wrapped' }),
    ]);
    expect(body.body.raw).toEqual([expect.objectContaining({ text: '<tool_call>{"na', cuts: [5] })]);
    expect(body.body.notes).toEqual([expect.objectContaining({ class: 'InvalidJson', range: [0, 5] })]);
    const audited = await gateway.send('GET', `/api/audit?targetId=${id}`, { as: gateway.cookies.admin });
    expect(audited.body.items).toEqual([expect.objectContaining({ action: 'turn.read', actor: 'editor@example.com' })]);
  });

  it('a viewer sees only its metadata, unaudited', async () => {
    const id = shownTurnId(own[1]!.id);
    const { body } = await gateway.send('GET', `/api/turns/${id}`, { as: gateway.cookies.viewer });
    expect(body).toMatchObject({ turn: { id }, body: null, bodyMissing: expect.stringContaining('editors') });
    expect(JSON.stringify(body)).not.toContain('tool_call>');
    const audited = await gateway.send('GET', `/api/audit?targetId=${id}`, { as: gateway.cookies.admin });
    expect(audited.body.items).toEqual([]);
  });

  it('security 29: of another team is not found, not even by editors', async () => {
    const url = `/api/turns/${shownTurnId(foreign.id)}`;
    expect((await gateway.send('GET', url, { as: gateway.cookies.editor })).status).toBe(404);
    expect((await gateway.send('GET', url, { as: gateway.cookies.admin })).status).toBe(200);
    for (const odd of ['turn_', 'turn_zz', "turn_' OR 1=1", '%00', own[0]!.id.slice(1)])
      expect(
        (await gateway.send('GET', `/api/turns/${encodeURIComponent(odd)}`, { as: gateway.cookies.admin })).status,
      ).toBe(404);
  });

  it('explains why there is no text', async () => {
    const at = async (turn: TurnRecord | undefined) =>
      (await gateway.send('GET', `/api/turns/${shownTurnId(turn!.id)}`, { as: gateway.cookies.editor })).body;
    expect((await at(own[2])).bodyMissing).toContain('not sampled');
    expect((await at(own[3])).bodyMissing).toContain('only for requests with tools');
    const notRead = { toolsOffered: 0, strategyUsed: null, status: 400 };
    const refused = testTurn({ teamId: gateway.teams.own, agoMs: 3 * 86_400_000, ...notRead });
    await recordTurns(gateway, [refused]);
    expect((await at(refused)).bodyMissing).toContain('refused before');
    await gateway.prisma.turnBody.deleteMany({ where: { turnId: own[1]!.id } });
    expect((await at(own[1])).bodyMissing).toContain('deleted after 7 days');
  });
});

describe('clusters', () => {
  it('group similar failures, with the changes made at that time', async () => {
    await gateway.send('PATCH', '/api/models/demo-native', {
      as: gateway.cookies.admin,
      body: { strategy: 'prompt', reason: 'test' },
    });
    const { body } = await gateway.send('GET', '/api/failures/clusters', { as: gateway.cookies.viewer });
    expect(body.items).toHaveLength(2);
    expect(body.items[0]).toMatchObject({
      model: 'demo-native',
      class: 'InvalidJson',
      tool: 'write_file',
      shape: 'sh1',
      count: 2,
      newestTurn: shownTurnId(own[0]!.id),
      changes: [{ what: 'strategy auto to prompt' }],
    });
    expect([...body.items[0].clients].sort()).toEqual(['cline', 'kilo']);
    expect(body.items[1]).toMatchObject({ errorCode: 'upstream_timeout', class: null, count: 1 });
  });

  it('are paged, and each links to its requests', async () => {
    const as = gateway.cookies.viewer;
    const { body: first } = await gateway.send('GET', '/api/failures/clusters?limit=1', { as });
    expect(first).toMatchObject({ groups: 2, total: 3, items: [{ count: 2 }] });
    const { body: second } = await gateway.send('GET', `/api/failures/clusters?limit=1&cursor=${first.next}`, { as });
    expect(second).toMatchObject({ groups: 2, next: null, items: [{ errorCode: 'upstream_timeout' }] });
    for (const { group, count } of [...first.items, ...second.items]) {
      const { body } = await gateway.send('GET', `/api/failures?group=${group}`, { as });
      expect(body.items).toHaveLength(count);
    }
    // Another team's are not included.
    const { body: all } = await gateway.send('GET', `/api/failures?group=${first.items[0].group}`, {
      as: gateway.cookies.admin,
    });
    expect(all.items).toHaveLength(3);
    for (const query of ['group=x', 'group=W10', 'cursor=x', 'cursor=WyIxIl0']) {
      const { status, body } = await gateway.send('GET', `/api/failures/clusters?${query}`, { as });
      expect([status, body.error.param]).toEqual([400, query.split('=')[0]]);
    }
  });
});

describe('exports', () => {
  it('security 18, 30: CSV with the caller’s rights, formulas escaped', async () => {
    const { status, headers, body } = await gateway.send('GET', '/api/turns/export?failures=true', {
      as: gateway.cookies.viewer,
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe('attachment; filename="turns.csv"');
    const lines = String(body).trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'id,at,model,outcome,classes,strategy,strategyUsed,dialect,client,team,key,upstream,engineVersion,route,' +
        'streamed,toolsOffered,calls,inputTokens,outputTokens,tokenSource,addedUs,firstTokenMs,totalMs,attempts,' +
        'status,errorOrigin,errorCode,errorMessage,requestId,spend,fallbackModel,corrected,correctionTokens,agentRounds,agentLimit,cachedTokens',
    );
    expect(lines).toHaveLength(4);
    expect(lines[3]).toContain(",'=1+1,");
    expect(body).not.toContain(shownTurnId(foreign.id));
  });

  it('JSON is one array', async () => {
    const { body } = await gateway.send('GET', '/api/turns/export?format=json', { as: gateway.cookies.viewer });
    expect(body.map(({ id }: { id: string }) => id)).toEqual(shown(own.slice(0, 4)));
    const none = await gateway.send('GET', '/api/turns/export?format=json&client=nobody', {
      as: gateway.cookies.viewer,
    });
    expect(none.body).toEqual([]);
  });
});
