import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../database/change.ts';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import { hashKey, newApiKey } from '../secrets/secrets.ts';
import { seed } from '../seed/seed.ts';
import type { Lesson, ModelEntry, Route } from './config-snapshot.ts';
import { PostgresConfigSnapshot } from './postgres-config-snapshot.ts';

const SECRET = 'snapshot-test-secret-key-0123456789';
const DEMO = {
  baseUrl: 'http://127.0.0.1:9/v1',
  key: undefined,
  models: [
    { name: 'demo-native', contextLength: 8192 },
    { name: 'demo-text', contextLength: 8192 },
  ],
};

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
const open: PostgresConfigSnapshot[] = [];

beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url);
});
afterAll(async () => {
  await Promise.all(open.map((snapshot) => snapshot.stop()));
  await prisma.$disconnect();
  await database.stop();
});

async function snapshot(options: Partial<ConstructorParameters<typeof PostgresConfigSnapshot>[1]> = {}) {
  const made = new PostgresConfigSnapshot(prisma, {
    databaseUrl: database.url,
    secretKey: SECRET,
    demo: undefined,
    dialectOf: (id) => (id.includes('qwen') ? 'hermes' : undefined),
    graceMs: 60_000,
    pollMs: 3_000,
    ...options,
  });
  await made.start();
  open.push(made);
  return made;
}

/** Waits until the condition holds; fails after `ms`. */
async function soon(holds: () => boolean, ms = 5_000): Promise<number> {
  const began = Date.now();
  while (!holds()) {
    if (Date.now() - began > ms) throw new Error('did not come to hold');
    await new Promise((done) => setTimeout(done, 10));
  }
  return Date.now() - began;
}

const options = { secretKey: SECRET, admin: { email: 'Admin@x.test', password: undefined }, demo: DEMO };

describe('seed', () => {
  it('creates what an installation begins with once, and returns secrets once', async () => {
    const apiKey = 'my-own-key-of-any-form';
    const first = await seed(prisma, { ...options, apiKey });
    expect(first.firstAdmin?.generatedPassword).toMatch(/-/);
    expect(first.demoKey).toMatch(/^sk-cs-/);
    const second = await seed(prisma, { ...options, apiKey, demo: { ...DEMO, key: first.demoKey } });
    expect(second).toEqual({ firstAdmin: undefined, demoKey: first.demoKey, warnings: [] });
    expect(await prisma.user.count()).toBe(1);
    expect(await prisma.team.count()).toBe(2);
    expect(await prisma.apiKey.count()).toBe(2);
    expect(await prisma.model.count()).toBe(2);
    const stored = JSON.stringify([
      await prisma.apiKey.findMany(),
      await prisma.user.findMany(),
      await prisma.oneTimeLink.findMany(),
    ]);
    for (const secret of [apiKey, first.demoKey ?? '', first.firstAdmin?.generatedPassword ?? '']) {
      expect(stored).not.toContain(secret);
    }
  });

  it('several gateways share the demo: its key stays, and each uses its own model server', async () => {
    const first = await seed(prisma, { ...options, apiKey: undefined });
    const elsewhere = { ...DEMO, baseUrl: 'http://127.0.0.1:7/v1', key: undefined };
    const second = await seed(prisma, { ...options, apiKey: undefined, demo: elsewhere });
    const third = await seed(prisma, {
      ...options,
      apiKey: undefined,
      demo: { ...elsewhere, key: 'sk-of-another-place' },
    });
    expect([second.demoKey, third.demoKey]).toEqual([first.demoKey, first.demoKey]);
    for (const demoUrl of [DEMO.baseUrl, elsewhere.baseUrl]) {
      const model = (await snapshot({ demoUrl })).model('demo-native');
      expect(model?.routes[0]?.upstream.baseUrl).toBe(demoUrl);
    }
    expect(JSON.stringify(await prisma.setting.findMany())).not.toContain(first.demoKey);
  });

  it('shows the demo key if it was never stored, and warns of a changed ADMIN_PASSWORD', async () => {
    const again = await seed(prisma, {
      ...options,
      apiKey: undefined,
      admin: { email: 'admin@x.test', password: 'something else' },
    });
    expect(again.warnings).toEqual([expect.stringContaining('ADMIN_PASSWORD')]);
    const seen = await snapshot();
    expect(seen.key(hashKey(SECRET, again.demoKey ?? ''))?.kind).toBe('demo');
    expect(await prisma.apiKey.count({ where: { kind: 'demo' } })).toBe(1);
  });

  it('another API_KEY replaces the previous one', async () => {
    await seed(prisma, { ...options, apiKey: 'another-key-of-any-form' });
    const seen = await snapshot();
    expect(seen.key(hashKey(SECRET, 'another-key-of-any-form'))?.kind).toBe('env');
    expect(seen.key(hashKey(SECRET, 'my-own-key-of-any-form'))).toBeUndefined();
  });
});

describe('PostgresConfigSnapshot', () => {
  it('finds keys and models; the demo key opens demo models only', async () => {
    const { demoKey } = await seed(prisma, { ...options, apiKey: undefined });
    const seen = await snapshot();
    const key = seen.key(hashKey(SECRET, demoKey ?? ''));
    expect(key).toMatchObject({ kind: 'demo', teamName: 'demo', storesBodies: true });
    expect([...(key?.allowedModels ?? [])].sort()).toEqual(['demo-native', 'demo-text']);
    const model = seen.model('demo-native');
    expect(model).toMatchObject({
      strategy: { value: 'auto', source: 'default' },
      dialect: { value: 'auto', source: 'default' },
      holdBytes: { value: 1024, source: 'default' },
      contextLength: { value: 8192, source: 'discovered' },
      demo: true,
    });
    expect(model?.routes[0]).toMatchObject({ upstreamModel: 'demo-native', nativeTools: undefined });
    expect(seen.stale).toBe(false);
  });

  it('a change reaches every gateway within 5 s, and a revoked key is gone', async () => {
    const [local, remote] = [await snapshot(), await snapshot({ pollMs: 60_000 })];
    const key = newApiKey();
    const id = newId('key');
    const team = await prisma.team.findUniqueOrThrow({ where: { name: 'default' } });
    await change(prisma, (tables) =>
      tables.apiKey.create({ data: { id, teamId: team.id, holder: 'me', hash: hashKey(SECRET, key), hint: 'x' } }),
    );
    const found = () => [local, remote].every((gateway) => gateway.key(hashKey(SECRET, key)) !== undefined);
    expect(await soon(found)).toBeLessThan(5_000);
    await change(prisma, (tables) => tables.apiKey.update({ where: { id }, data: { revokedAt: new Date() } }));
    await soon(() => [local, remote].every((gateway) => gateway.key(hashKey(SECRET, key)) === undefined));
  });

  it('a lost notification is compensated by polling', async () => {
    const seen = await snapshot({ pollMs: 100 });
    await prisma.$executeRaw`UPDATE model SET strategy = 'prompt' WHERE name = 'demo-text'`;
    await prisma.$executeRaw`UPDATE setting SET value = to_jsonb((value #>> '{}')::bigint + 1) WHERE name = 'directory.version'`;
    await soon(() => seen.model('demo-text')?.strategy.value === 'prompt');
  });

  it('D-31 listening survives a broken connection and reloads on the new one', async () => {
    const seen = await snapshot({ pollMs: 60_000 });
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'callsmith listen'`,
    );
    await prisma.$executeRaw`UPDATE model SET strategy = 'native' WHERE name = 'demo-text'`;
    await admin.end();
    await soon(() => seen.model('demo-text')?.strategy.value === 'native');
  });

  it('D-25 what auto learns applies here immediately, elsewhere within 5 s, and for 24 h', async () => {
    const [local, remote] = [await snapshot(), await snapshot()];
    const model = local.model('demo-text');
    const finding = {
      modelId: model?.id ?? '',
      upstreamId: model?.routes[0]?.upstream.id ?? '',
      what: 'native-tools' as const,
      value: false,
      engineVersion: '0.9.2',
      reason: '400: "auto" tool choice requires --enable-auto-tool-choice',
    };
    local.learn(finding);
    expect(local.model('demo-text')?.routes[0]?.nativeTools).toBe(false);
    await soon(() => remote.model('demo-text')?.routes[0]?.nativeTools === false);
    const [row] = await prisma.learned.findMany();
    expect(row).toMatchObject({ value: 'false', engineVersion: '0.9.2', reason: finding.reason });
    expect((row?.expiresAt.getTime() ?? 0) - (row?.at.getTime() ?? 0)).toBe(24 * 3_600_000);
    await change(prisma, (tables) => tables.learned.updateMany({ data: { expiresAt: new Date(Date.now() + 300) } }));
    await soon(() => [local, remote].every((g) => g.model('demo-text')?.routes[0]?.nativeTools === undefined));
  });

  it('A-3 a server’s statement that its model takes no tools applies, until an admin says otherwise', async () => {
    const seen = await snapshot();
    const setCapabilities = (capabilities: object) =>
      change(prisma, (tables) => tables.model.updateMany({ where: { name: 'demo-text' }, data: { capabilities } }));
    const nativeTools = () => seen.model('demo-text')?.routes[0]?.nativeTools;
    await setCapabilities({
      tools: { value: false, source: 'discovered' },
      strict: { value: false, source: 'declared' },
    });
    await soon(() => nativeTools() === false);
    expect(seen.model('demo-text')?.capabilities).toEqual({ tools: false, strict: false });
    await setCapabilities({ tools: { value: true, source: 'declared' } });
    await soon(() => nativeTools() === true);
    await setCapabilities({});
    await soon(() => nativeTools() === undefined);
  });

  it('D-37 a refused parameter is learned of one model on one upstream, reaches other gateways and expires', async () => {
    const [local, remote] = [await snapshot(), await snapshot()];
    const model = local.model('demo-text');
    const place = { modelId: model?.id ?? '', upstreamId: model?.routes[0]?.upstream.id ?? '' };
    const lesson = { ...place, value: false, engineVersion: '0.9.2', reason: 'is not supported' } as const;
    local.learn({ ...lesson, what: 'parameter:parallel_tool_calls' });
    const refuses = (gateway: PostgresConfigSnapshot, name: string) => gateway.model(name)?.routes[0]?.refuses;
    expect(refuses(local, 'demo-text')).toEqual(['parallel_tool_calls']);
    await soon(() => refuses(remote, 'demo-text')?.length === 1);
    expect(refuses(remote, 'demo-native')).toEqual([]);
    local.learn({ ...lesson, what: 'api', value: 'responses' });
    local.learn({ ...lesson, what: 'retreat:one-system', value: true });
    await soon(() => remote.model('demo-text')?.routes[0]?.api === 'responses');
    await soon(() => remote.model('demo-text')?.routes[0]?.retreats[0] === 'one-system');
    // As after a restart.
    const later = (await snapshot()).model('demo-text')?.routes[0];
    expect([later?.api, later?.retreats]).toEqual(['responses', ['one-system']]);
    await change(prisma, (tables) => tables.learned.updateMany({ data: { expiresAt: new Date(Date.now() + 300) } }));
    await soon(() => [local, remote].every((gateway) => refuses(gateway, 'demo-text')?.length === 0));
  });

  it('D-33 that a model marks its calls is learned of one upstream, reaches other gateways and expires', async () => {
    const [local, remote] = [await snapshot(), await snapshot()];
    const model = local.model('demo-text');
    const place = { modelId: model?.id ?? '', upstreamId: model?.routes[0]?.upstream.id ?? '' };
    const marks = (gateway: PostgresConfigSnapshot, name: string) => gateway.model(name)?.routes[0]?.marksCalls;
    expect(marks(local, 'demo-text')).toBe(false);
    local.learn({ ...place, what: 'marked-calls', value: true, engineVersion: undefined, reason: 'Three calls.' });
    expect(marks(local, 'demo-text')).toBe(true);
    await soon(() => marks(remote, 'demo-text') === true);
    expect(marks(remote, 'demo-native')).toBe(false);
    await change(prisma, (tables) => tables.learned.updateMany({ data: { expiresAt: new Date(Date.now() + 300) } }));
    await soon(() => [local, remote].every((gateway) => marks(gateway, 'demo-text') === false));
  });

  it.each<
    [
      what: string,
      value: boolean | string,
      effect: (route: Route | undefined, model: ModelEntry | undefined) => unknown,
    ]
  >([
    ['native-tools', false, (route) => route?.nativeTools],
    ['parameter:tool_choice', false, (route) => route?.refuses],
    ['parameter:messages.reasoning', false, (route) => route?.refuses],
    ['api', 'responses', (route) => route?.api],
    ['retreat:required-named', true, (route) => route?.retreats],
    ['retreat:simple-schemas:0123456789ab', true, (route) => route?.retreats],
    ['retreat:no-tools', true, (route) => route?.retreats],
    ['constraint:structured_outputs', true, (route) => route?.constraints],
    ['constraint:grammar', false, (route) => route?.constraints],
    ['marked-calls', true, (route) => route?.marksCalls],
    ['cuts-prompts', true, (route) => route?.cutsPrompts],
    ['reasoning-prefilled', true, (_, model) => model?.reasoningPrefilled],
  ])('D-37 %s: %s, learned by one gateway, applies at another one', async (what, value, effect) => {
    await change(prisma, (tables) => tables.learned.deleteMany());
    const [local, remote] = [await snapshot(), await snapshot()];
    const of = (gateway: PostgresConfigSnapshot) => {
      const model = gateway.model('demo-native');
      return JSON.stringify(effect(model?.routes[0], model) ?? null);
    };
    const before = of(remote);
    const model = local.model('demo-native');
    const place = { modelId: model?.id ?? '', upstreamId: model?.routes[0]?.upstream.id ?? '' };
    local.learn({ ...place, what, value, engineVersion: undefined, reason: 'seen' } as Lesson);
    const learned = of(local);
    expect(learned).not.toBe(before);
    await soon(() => of(remote) === learned);
    await change(prisma, (tables) => tables.learned.deleteMany());
    await soon(() => of(remote) === before);
  });

  it('parameters that clients can make a model refuse do not grow without limit', async () => {
    const local = await snapshot();
    const model = local.model('demo-native');
    const place = { modelId: model?.id ?? '', upstreamId: model?.routes[0]?.upstream.id ?? '' };
    const lesson = { ...place, value: false, engineVersion: undefined, reason: 'is not supported' } as const;
    for (let at = 0; at < 200; at++) local.learn({ ...lesson, what: `parameter:p${at}` });
    expect(local.model('demo-native')?.routes[0]?.refuses).toHaveLength(50);
    await expect.poll(() => prisma.learned.count({ where: { modelId: place.modelId } }), { timeout: 20_000 }).toBe(50);
  });

  it('last-used times are written in batches', async () => {
    const seen = await snapshot({ pollMs: 50 });
    const key = await prisma.apiKey.findFirstOrThrow({ where: { kind: 'demo' } });
    seen.touch(key.id, 'cline', { demo: true });
    await expect
      .poll(() => prisma.apiKey.findUnique({ where: { id: key.id } }), { timeout: 10_000 })
      .toMatchObject({ lastClient: 'cline' });
  });

  it('demo models stay until a model of an added upstream is requested, unless DEMO says so; a declared dialect takes precedence over the table', async () => {
    const seen = await snapshot();
    const on = await snapshot({ demo: true });
    const off = await snapshot({ demo: false });
    expect(off.models()).toEqual([]);
    expect(off.model('demo-native')).toBeUndefined();
    await change(prisma, async (tables) => {
      const up = await tables.upstream.create({
        data: { id: newId('up'), name: 'gpu', baseUrl: 'http://127.0.0.1:1/v1' },
      });
      await tables.model.create({
        data: {
          id: newId('model'),
          name: 'Qwen/Qwen3-8B',
          aliases: ['small'],
          upstreams: { create: { upstreamId: up.id, upstreamModel: 'qwen3' } },
        },
      });
    });
    await soon(() => seen.model('small') !== undefined);
    expect(seen.models()).toHaveLength(3);
    expect(seen.demoOnly).toBe(true);
    const key = await prisma.apiKey.findFirstOrThrow({ where: { kind: { not: 'demo' } } });
    const another = await snapshot();
    seen.touch(key.id, 'cline', { demo: true });
    seen.touch(key.id, 'cline', seen.model('small') ?? { demo: true });
    for (const gateway of [seen, another]) {
      await soon(() => !gateway.demoOnly);
      expect(gateway.models().map(({ name }) => name)).toEqual(['Qwen/Qwen3-8B']);
    }
    expect(seen.model('small')?.dialect).toEqual({ value: 'hermes', source: 'default' });
    await soon(() => on.models().length === 3 && !on.demoOnly);
    await change(prisma, (tables) =>
      tables.model.updateMany({ where: { name: 'Qwen/Qwen3-8B' }, data: { dialect: 'react' } }),
    );
    await soon(() => seen.model('small')?.dialect.source === 'declared');
  });
});
