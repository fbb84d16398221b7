import { newId } from '@callsmith/data/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const change = (id: string, body: object) =>
  gateway.send('PATCH', `/api/models/${id}`, { body, headers: { 'x-admin-key': adminKey } });

describe('PATCH /api/models/:id', () => {
  it('A-2: switches the strategy, records the change and who made it', async () => {
    const { status, body } = await change('demo-native', { strategy: 'prompt', reason: '24 % of calls fail' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'demo-native',
      strategy: { value: 'prompt', source: 'declared' },
      inEffect: { strategyUsed: 'prompt' },
    });
    const changes = await gateway.send('GET', `/api/models/${body.id}/changes`, { as: gateway.cookies.viewer });
    expect(changes.body.items).toEqual([
      expect.objectContaining({
        fromStrategy: 'auto',
        toStrategy: 'prompt',
        actor: 'admin-key',
        reason: '24 % of calls fail',
      }),
    ]);
  });

  it('changes only what it names', async () => {
    await change('demo-text', { dialect: 'hermes', holdBytes: null, contextLength: 1000 });
    const { body } = await change('demo-text', { strictHistory: true });
    expect(body).toMatchObject({
      dialect: { value: 'hermes', source: 'declared' },
      holdBytes: { value: null, source: 'declared' },
      contextLength: { value: 1000, source: 'declared' },
      strictHistory: { value: true, source: 'declared' },
      strategy: { value: 'auto', source: 'default' },
    });
    const back = await change('demo-text', { dialect: null, holdBytes: 2048 });
    expect(back.body).toMatchObject({ dialect: { source: 'default' }, holdBytes: { value: 2048 } });
  });

  it.each(['delegate', 'magic', 7])('refuses the strategy %s', async (strategy) => {
    const { status, body } = await change('demo-native', { strategy });
    expect([status, body.error.code, body.error.param]).toEqual([400, 'unsupported_strategy', 'strategy']);
    expect(body.error.message).toContain('auto, native, strict, prompt');
  });

  it('refuses an unknown dialect, naming those that exist', async () => {
    const { status, body } = await change('demo-native', { dialect: 'klingon' });
    expect([status, body.error.param]).toEqual([400, 'dialect']);
    expect(body.error.message).toMatch(/auto, .*hermes/);
  });

  it('refuses an unknown field', async () => {
    const { body } = await change('demo-native', { stratgy: 'native' });
    expect(body.error).toMatchObject({
      param: 'stratgy',
      fields: [{ path: 'stratgy', message: 'is not a known field' }],
    });
  });

  it('an alias is unique among all names', async () => {
    const { body } = await change('demo-native', { aliases: ['gpt-4o', 'demo-text'] });
    expect(body.error).toMatchObject({ code: 'conflict', param: 'aliases[1]' });
    expect((await change('demo-native', { aliases: ['gpt-4o'] })).body.aliases).toEqual(['gpt-4o']);
    expect((await gateway.send('GET', '/api/models/gpt-4o', { as: gateway.cookies.viewer })).body.name).toBe(
      'demo-native',
    );
  });

  it('an unknown model is a 404', async () => {
    expect((await change('gpt-9', { strategy: 'native' })).body.error.code).toBe('model_not_found');
  });
});

describe('models', () => {
  it('D-21: are found by surrogate id and by name, slashes encoded', async () => {
    const name = `org/${'very-'.repeat(40)}long/model:free`;
    const upstream = await gateway.prisma.upstream.findFirstOrThrow();
    const id = newId('model');
    await gateway.prisma.model.create({
      data: { id, name, upstreams: { create: { upstreamId: upstream.id, upstreamModel: 'm' } } },
    });
    await change('demo-native', { strategy: 'auto' }); // a change makes the gateway reload
    for (const at of [id, encodeURIComponent(name)]) {
      const { body } = await change(at, { strategy: 'native' });
      expect([body.id, body.strategy.value]).toEqual([id, 'native']);
    }
  });

  it('D-25: what auto learned is shown, and can be cleared', async () => {
    const model = await gateway.prisma.model.findUniqueOrThrow({
      where: { name: 'demo-text' },
      include: { upstreams: true },
    });
    await gateway.prisma.learned.create({
      data: {
        modelId: model.id,
        upstreamId: model.upstreams[0]!.upstreamId,
        what: 'native-tools',
        value: 'false',
        reason: '400: --enable-auto-tool-choice',
        expiresAt: new Date(Date.now() + 3_600_000),
      },
    });
    await change('demo-text', { strategy: 'auto' });
    const shown = await gateway.send('GET', '/api/models/demo-text', { as: gateway.cookies.viewer });
    expect(shown.body.routes[0].learned).toMatchObject({
      nativeTools: false,
      reason: '400: --enable-auto-tool-choice',
    });
    expect(shown.body.inEffect.strategyUsed).toBe('prompt');
    expect(shown.body.learned).toEqual([
      {
        upstreamId: model.upstreams[0]!.upstreamId,
        upstream: 'demo',
        what: 'native-tools',
        value: 'false',
        reason: '400: --enable-auto-tool-choice',
        at: expect.any(String),
        expiresAt: expect.any(String),
        engineVersion: null,
      },
    ]);
    const forgot = await gateway.send('DELETE', '/api/models/demo-text/learned', { as: gateway.cookies.admin });
    expect([forgot.body.routes[0].learned, forgot.body.learned]).toEqual([null, []]);
    expect(forgot.body.inEffect.strategyUsed).toBe('native');
  });

  it('D-37: everything learned is shown with its evidence and expiry, without expired entries; each can be cleared', async () => {
    const model = await gateway.prisma.model.findUniqueOrThrow({
      where: { name: 'demo-text' },
      include: { upstreams: true },
    });
    const { upstreamId } = model.upstreams[0]!;
    const learn = (what: string, expiresAt: number, value = 'false') =>
      gateway.prisma.learned.create({
        data: { modelId: model.id, upstreamId, what, value, reason: `about ${what}`, expiresAt: new Date(expiresAt) },
      });
    await learn('parameter:seed', Date.now() + 3_600_000);
    await learn('parameter:top_logprobs', Date.now() + 3_600_000);
    await learn('parameter:user', Date.now() - 1000);
    await learn('reasoning-prefilled', Date.now() + 3_600_000, 'true');
    await change('demo-text', { strategy: 'auto' });
    const whatIn = ({ body }: { body: { learned: { what: string }[] } }) => body.learned.map(({ what }) => what).sort();
    const shown = await gateway.send('GET', '/api/models/demo-text', { as: gateway.cookies.viewer });
    expect(whatIn(shown)).toEqual(['parameter:seed', 'parameter:top_logprobs', 'reasoning-prefilled']);
    const upstreams = await gateway.send('GET', '/api/upstreams', { as: gateway.cookies.admin });
    expect(upstreams.body.items[0].refuses.sort()).toEqual(['seed', 'top_logprobs']);
    const path = `/api/models/demo-text/learned?upstreamId=${upstreamId}&what=parameter%3Aseed`;
    expect((await gateway.send('DELETE', path, { as: gateway.cookies.viewer })).status).toBe(403);
    const one = await gateway.send('DELETE', path, { as: gateway.cookies.admin });
    expect(whatIn(one)).toEqual(['parameter:top_logprobs', 'reasoning-prefilled']);
    const all = await gateway.send('DELETE', '/api/models/demo-text/learned', { as: gateway.cookies.admin });
    expect(all.body.learned).toEqual([]);
    const audit = await gateway.prisma.audit.findMany({ where: { action: 'model.forget' }, orderBy: { id: 'asc' } });
    expect(JSON.stringify(audit.at(-1)?.before ?? audit)).toContain('parameter:top_logprobs');
  });

  it('dialects come with samples, and with the table of model ids', async () => {
    const { body } = await gateway.send('GET', '/api/dialects', { as: gateway.cookies.viewer });
    const hermes = body.items.find(({ name }: { name: string }) => name === 'hermes');
    expect(hermes.sample).toContain('<tool_call>');
    expect(body.table).toContainEqual(expect.objectContaining({ dialect: 'hermes' }));
  });
});
