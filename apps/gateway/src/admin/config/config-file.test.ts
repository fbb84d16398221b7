import { configFile } from '@callsmith/contracts';
import { applyConfigFile } from '@callsmith/data/config-file';
import { createPrisma } from '@callsmith/data/database';
import { digestOf } from '@callsmith/data/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const secret = 'a-key-that-the-file-gives-0001';
const whole = {
  version: 1,
  teams: [{ name: 'research', storesBodies: false }],
  upstreams: [
    { name: 'gpu', baseUrl: 'http://127.0.0.1:1', credential: 'the-servers-key', headers: { 'X-Team': 'a' } },
  ],
  models: [
    {
      name: 'qwen',
      aliases: ['coder'],
      strategy: 'prompt',
      routes: [{ upstream: 'gpu', upstreamModel: 'Qwen/Qwen3', weight: 2 }],
      capabilities: { tools: true },
      contextLength: 32_768,
      strictHistory: false,
      price: { input: 1, output: 2 },
    },
  ],
  keys: [
    { owner: 'Ada', team: 'research', secret, requestsPerMinute: 60, allowedModels: ['qwen'] },
    { owner: 'Grace', sha256: digestOf('another-key-that-is-known-by-hash') },
  ],
  alerts: [
    {
      name: 'pager',
      url: 'https://hooks.example.com/secret-path',
      triggers: {
        failedRate: null,
        failureBudget: false,
        errorRate: null,
        slowFirstToken: null,
        noRequests: null,
        upstreamDown: { minutes: 5 },
        recordLost: true,
        budgetSpent: null,
        malformedRate: null,
        spend: null,
      },
      scope: { models: ['qwen'], teams: ['research'], clients: ['cline'] },
      quietHours: { from: '22:00', to: '07:00' },
      timeZone: 'Europe/Zurich',
    },
  ],
  mcpServers: [
    { name: 'tickets', url: 'http://127.0.0.1:1/mcp', auth: 'bearer', credential: 'the-tools-key', callsPerMinute: 9 },
  ],
};

const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { headers: { 'x-admin-key': adminKey }, ...(body && { body }) });

async function apply(config: object, options: { prune?: boolean; dryRun?: boolean } = {}) {
  const { status, body } = await send('POST', '/api/config', { config, ...options });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.differences.map(({ section, name, action }: Record<string, string>) => `${action} ${section} ${name}`);
}

describe('a configuration file', () => {
  it('A-8: shows its differences first, is applied, and changes nothing the second time', async () => {
    const differences = [
      'create teams research',
      'create upstreams gpu',
      'create models qwen',
      'create keys …0001 of Ada',
      expect.stringMatching(/^create keys SHA-256 ….{4} of Grace$/),
      'create alerts pager',
      'create mcpServers tickets',
    ];
    expect(await apply(whole, { dryRun: true })).toEqual(differences);
    expect((await send('GET', '/api/models/qwen')).status).toBe(404);
    expect(await apply(whole)).toEqual(differences);
    expect(await apply(whole)).toEqual([]);
    const { body: model } = await send('GET', '/api/models/coder');
    expect(model).toMatchObject({
      managedBy: 'file',
      strategy: { value: 'prompt' },
      contextLength: { value: 32_768, source: 'declared' },
      routes: [{ upstream: 'gpu', upstreamModel: 'Qwen/Qwen3', weight: 2 }],
    });
    const [pager] = (await send('GET', '/api/webhooks')).body.items;
    expect(pager.scope).toEqual({
      models: [model.id],
      teams: [expect.stringMatching(/^team_/)],
      clients: ['cline'],
    });
    const [tickets] = (await send('GET', '/api/mcp-servers')).body.items;
    expect(tickets).toMatchObject({ name: 'tickets', managedBy: 'file', hasCredential: true, callsPerMinute: 9 });
    expect(tickets.health).toMatchObject({ ok: false });
    const usage = await gateway.send('GET', '/v1/usage', { headers: { authorization: `Bearer ${secret}` } });
    expect(usage.status).toBe(200);
  });

  it('shows which fields differ, and no secret', async () => {
    const [upstream] = whole.upstreams;
    const changed = { ...whole, upstreams: [{ ...upstream, credential: 'another-servers-key', maxConnections: 7 }] };
    const { body } = await send('POST', '/api/config', { config: changed, dryRun: true });
    const byPath = (one: { path: string }, other: { path: string }) => one.path.localeCompare(other.path);
    body.differences[0].fields.sort(byPath);
    expect(body.differences).toEqual([
      {
        section: 'upstreams',
        name: 'gpu',
        action: 'change',
        fields: [
          { path: 'credential', from: '••••', to: '••••' },
          { path: 'maxConnections', from: 1024, to: 7 },
        ],
      },
    ]);
  });

  it('what it manages is read-only: a change is refused with 409 and an explanation', async () => {
    const { body: models } = await send('GET', '/api/models');
    const { body: upstreams } = await send('GET', '/api/upstreams');
    const { body: keys } = await send('GET', '/api/keys');
    const { body: teams } = await send('GET', '/api/teams');
    const { body: webhooks } = await send('GET', '/api/webhooks');
    const { body: servers } = await send('GET', '/api/mcp-servers');
    const idOf = ({ items }: { items: { id: string; managedBy: string | null }[] }) =>
      items.find(({ managedBy }) => managedBy === 'file')?.id;
    for (const [method, url, body] of [
      ['PATCH', `/api/models/${idOf(models)}`, { strategy: 'native' }],
      ['DELETE', `/api/models/${idOf(models)}`],
      ['PATCH', `/api/upstreams/${idOf(upstreams)}`, { enabled: false }],
      ['DELETE', `/api/upstreams/${idOf(upstreams)}`],
      ['PATCH', `/api/keys/${idOf(keys)}`, { holder: 'Eve' }],
      ['POST', `/api/keys/${idOf(keys)}/rotate`, {}],
      ['DELETE', `/api/keys/${idOf(keys)}`],
      ['PATCH', `/api/teams/${idOf(teams)}`, { storesBodies: true }],
      ['DELETE', `/api/teams/${idOf(teams)}`],
      ['PATCH', `/api/webhooks/${idOf(webhooks)}`, { enabled: false }],
      ['DELETE', `/api/webhooks/${idOf(webhooks)}`],
      ['PATCH', `/api/mcp-servers/${idOf(servers)}`, { callsPerMinute: null }],
      ['DELETE', `/api/mcp-servers/${idOf(servers)}`],
    ] as const)
      expect({ url, ...(await send(method, url, body)) }).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining('managed by the configuration file (CONFIG_FILE)') } },
      });
    expect(await apply(whole, { dryRun: true })).toEqual([]);
  });

  it('a field that is removed from the file returns to its default', async () => {
    const [{ strategy: _, price: __, ...model }] = whole.models as [(typeof whole.models)[number]];
    expect(await apply({ ...whole, models: [model] })).toEqual(['change models qwen']);
    const { body } = await send('GET', '/api/models/qwen');
    expect(body).toMatchObject({ price: null, strategy: { value: 'auto' } });
    await apply(whole);
  });

  it('entries that are removed are disabled, return with the file, and are deleted with prune', async () => {
    const nothing = { version: 1 };
    const removals = [
      'disable mcpServers tickets',
      'disable alerts pager',
      expect.stringMatching(/^disable keys/),
      expect.stringMatching(/^disable keys/),
      'disable models qwen',
      'disable upstreams gpu',
      'release teams research',
    ];
    expect(await apply(nothing)).toEqual(removals);
    expect(await apply(nothing)).toEqual([]);
    const refused = await gateway.send('GET', '/v1/usage', { headers: { authorization: `Bearer ${secret}` } });
    expect(refused.status).toBe(401);
    const { body: upstreams } = await send('GET', '/api/upstreams');
    expect(upstreams.items.find(({ name }: { name: string }) => name === 'gpu')).toMatchObject({ enabled: false });
    expect(await apply(whole)).toHaveLength(7);
    const again = await gateway.send('GET', '/v1/usage', { headers: { authorization: `Bearer ${secret}` } });
    expect(again.status).toBe(200);
    expect(await apply(whole)).toEqual([]);
    const pruned = await apply(nothing, { prune: true });
    expect(pruned).toEqual(expect.arrayContaining(['delete upstreams gpu', 'delete mcpServers tickets']));
    expect((await send('GET', '/api/mcp-servers')).body.items).toEqual([]);
    const { body: after } = await send('GET', '/api/upstreams');
    expect(after.items.map(({ name }: { name: string }) => name)).not.toContain('gpu');
    expect(await apply(nothing, { prune: true })).toEqual([]);
    expect(await apply(whole)).toHaveLength(7);
  });

  it('an entry made by hand under the same name is adopted', async () => {
    expect((await send('POST', '/api/teams', { name: 'by hand' })).status).toBe(200);
    const wish = { ...whole, teams: [...whole.teams, { name: 'by hand' }] };
    expect(await apply(wish)).toEqual(['manage teams by hand']);
    expect(await apply(wish)).toEqual([]);
  });

  it('a reference to an unknown name is refused with its position, and nothing is changed', async () => {
    const wrong = {
      ...whole,
      models: [{ name: 'a', routes: [{ upstream: 'none' }], dialect: 'hermes' }],
      keys: [{ owner: 'a', team: 'none', secret: 'a-key-of-nobody-0000001' }],
      alerts: whole.alerts.map((alert) => ({ ...alert, scope: { models: ['a', 'none'], teams: ['none'] } })),
    };
    const { status, body } = await send('POST', '/api/config', { config: wrong });
    expect(status).toBe(400);
    expect(body.error.fields).toEqual([
      { path: 'config.alerts[0].scope.models[1]', message: 'must be the name of a model; found "none"' },
      { path: 'config.alerts[0].scope.teams[0]', message: 'must be the name of a team; found "none"' },
      { path: 'config.models[0].routes[0].upstream', message: 'must be the name of an upstream; found "none"' },
      { path: 'config.keys[0].team', message: 'must be the name of a team; found "none"' },
    ]);
    const address = await send('POST', '/api/config', {
      config: { version: 1, upstreams: [{ name: 'meta', baseUrl: 'http://169.254.169.254' }] },
    });
    expect(address).toMatchObject({ status: 400, body: { error: { param: 'config.upstreams[0].baseUrl' } } });
    const wrongServers = {
      version: 1,
      mcpServers: [
        { name: 'meta', url: 'http://169.254.169.254/mcp' },
        {
          name: 'oauth',
          url: 'http://tools.example.com/mcp',
          auth: 'oauth',
          authName: 'us',
          authIssuer: 'http://169.254.169.254',
          credential: 'secret',
        },
      ],
    };
    const addresses = await send('POST', '/api/config', { config: wrongServers });
    expect(addresses.status).toBe(400);
    expect(addresses.body.error.fields.map(({ path }: { path: string }) => path)).toEqual([
      'config.mcpServers[0].url',
      'config.mcpServers[1].authIssuer',
    ]);
    const keyless = { version: 1, mcpServers: [{ name: 'a', url: 'http://a/mcp', auth: 'bearer' }] };
    expect(await send('POST', '/api/config', { config: keyless })).toMatchObject({
      status: 400,
      body: { error: { param: 'config.mcpServers[0].credential' } },
    });
    const dialect = await send('POST', '/api/config', {
      config: { ...whole, models: [{ ...whole.models[0], dialect: 'klingon' }] },
    });
    expect(dialect).toMatchObject({ status: 400, body: { error: { param: 'config.models[0].dialect' } } });
  });

  it('two gateways that start at the same time apply it once', async () => {
    const file = configFile.parse({ ...whole, teams: [...whole.teams, { name: 'by hand' }, { name: 'at once' }] });
    const { config } = gateway;
    const clients = [createPrisma(config.databaseUrl, 2), createPrisma(config.databaseUrl, 2)];
    const changeLists = await Promise.all(
      clients.map((prisma) =>
        applyConfigFile({ prisma, secretKey: config.secretKey, by: { actor: 'config-file' } }, file, {
          prune: false,
          dryRun: false,
        }),
      ),
    );
    expect(changeLists.flat()).toMatchObject([{ action: 'create', section: 'teams', name: 'at once' }]);
    await Promise.all(clients.map((prisma) => prisma.$disconnect()));
  });

  it('the export has references instead of secrets, and applying it changes nothing', async () => {
    const { body: text } = await send('GET', '/api/config');
    const config = parse(text);
    for (const hidden of ['the-servers-key', 'the-tools-key', 'secret-path', secret])
      expect(text).not.toContain(hidden);
    expect(config.upstreams).toEqual([
      {
        name: 'gpu',
        baseUrl: 'http://127.0.0.1:1/v1',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: references of the file
        credential: '${GPU_CREDENTIAL}',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: references of the file
        headers: { 'X-Team': '${GPU_X_TEAM}' },
      },
    ]);
    const keysBySecret = config.keys.map(({ owner, secret }: Record<string, string>) => [owner, secret]).sort();
    expect(keysBySecret).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: references of the file
      ['Ada', '${KEY_0001_OF_ADA}'],
      ['Grace', expect.stringMatching(/^\$\{KEY_SHA_256_.{4}_OF_GRACE\}$/)],
    ]);
    expect(config.models).toMatchObject([{ name: 'qwen', aliases: ['coder'], price: { input: 1, output: 2 } }]);
    expect(config.mcpServers).toEqual([
      {
        name: 'tickets',
        url: 'http://127.0.0.1:1/mcp',
        auth: 'bearer',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: references of the file
        credential: '${TICKETS_CREDENTIAL}',
        callsPerMinute: 9,
      },
    ]);
    const filled = {
      ...config,
      keys: undefined,
      upstreams: [{ ...config.upstreams[0], credential: 'the-servers-key', headers: { 'X-Team': 'a' } }],
      alerts: [{ ...config.alerts[0], url: 'https://hooks.example.com/secret-path' }],
      mcpServers: [{ ...config.mcpServers[0], credential: 'the-tools-key' }],
    };
    const changes = (await apply(filled, { dryRun: true })).filter((line: string) => !/ keys |^manage/.test(line));
    expect(changes).toEqual([]);
  });
});
