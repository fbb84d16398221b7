import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from '../product.ts';
import { chunk, completion, json, type ModelServer, startModelServer, stream } from './model-server.ts';

/** The planted secrets, and where they are. Each is searched for as a whole. */
const planted = {
  clientKey: 'sk-planted-client-key-4f81c0de9b21',
  wrongKey: 'sk-planted-wrong-key-77aa0911bc5e',
  otherHeaderKey: 'planted-key-of-another-header-8c2d',
  cookie: 'planted-cookie-value-5d0e8f1a',
  ownHeader: 'planted-header-value-90fe12ab',
  query: 'planted-query-value-1b7c44d0',
  path: 'planted-path-value-66e09a3c',
  openAiKey: 'sk-proj-PlantedInAMessage0123456789abcdef',
  awsKeyId: 'AKIAPLANTED012345678',
  awsSecret: 'PlantedAwsSecret/0123456789+abcdefghijkl',
  gitHubToken: 'ghp_PlantedInAToolResult0123456789abcd',
  privateKey: 'MIIEPLANTEDprivateKeyLine0123456789abcdefghijklmnop',
  databasePassword: 'planted-database-password-3e',
  envToken: 'planted-dot-env-token-ab12cd34',
  toolDescription: 'glpat-PlantedDescription0123',
  toolName: 'hf_PlantedAsAToolName0123456789abcdef',
  modelName: 'sk-planted-as-a-model-name-0123456789',
  saidByModel: 'sk-planted-in-the-answer-0123456789ab',
  calledByModel: 'ghp_PlantedInTheArguments0123456789ab',
  leakedByModel: 'sk-planted-in-a-leaked-call-0123456789',
  upstreamKey: 'planted.upstream.credential.0c9d',
  upstreamError: 'ghp_PlantedInAnErrorBody0123456789abcd',
  upstreamRefusal: 'sk-planted-in-a-refusal-0123456789abcd',
  upstreamHeader: 'planted-upstream-header-2f6b',
  wrongPassword: 'planted wrong password 81',
  secretKey: 'planted-secret-key-0123456789-abcdefghijkl',
  metricsToken: 'planted-metrics-token-0123456789',
  adminPassword: 'planted admin password 17',
  adminKey: 'planted-admin-key-0123456789',
  webhookPath: 'planted-webhook-path-0123456789ab',
  collectorKey: 'planted-collector-key-0123456789',
} as const;

const inPieces = (text: string): string[] => text.match(/.{1,3}/gs) ?? [];

const models = {
  answers: completion({ content: `Your key is ${planted.saidByModel}.` }),
  calls: completion(
    {
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'run', arguments: JSON.stringify({ line: planted.calledByModel }) },
        },
      ],
    },
    'tool_calls',
  ),
  streams: stream(
    chunk({ role: 'assistant', content: '' }),
    ...inPieces(JSON.stringify({ line: planted.calledByModel })).map((piece, at) =>
      chunk({
        tool_calls: [
          {
            index: 0,
            ...(at === 0 && { id: 'call_1', type: 'function' }),
            function: { ...(at === 0 && { name: 'run' }), arguments: piece },
          },
        ],
      }),
    ),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ),
  leaks: stream(
    ...inPieces(`<tool_call>{"name": "run", "arguments": {"line": "${planted.leakedByModel}"}}</tool_call>`).map(
      (content) => chunk({ content }),
    ),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ),
  breaks: json(
    500,
    { error: { message: `Incorrect key ${planted.upstreamKey}, used with ${planted.upstreamError}.` } },
    { 'set-cookie': `s=${planted.upstreamHeader}`, 'x-secret': planted.upstreamHeader },
  ),
  refuses: json(400, {
    error: { message: `${planted.upstreamKey}: this model does not support tools (${planted.upstreamRefusal})` },
  }),
  mumbles: stream(
    chunk({ content: 'Wait' }),
    `data: ${JSON.stringify({ error: { message: `${planted.upstreamKey} ${planted.upstreamError}` } })}\n\n`,
  ),
  jabbers: (response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<html>${planted.upstreamKey} ${planted.upstreamError}</html>`);
  },
} as const;

let database: Awaited<ReturnType<typeof testDatabase>>;
let server: ModelServer;
let collector: Server;
let product: Product;
let spans = '';
/** Responses to clients: they may contain what the client or the model wrote, but no secret of the gateway. */
const answers: string[] = [];
/** Id of an export that a job has written. */
let exported = '';
/** Secrets that the gateway generated. */
const made: Record<string, string> = {};

beforeAll(async () => {
  database = await testDatabase();
  server = await startModelServer(models);
  collector = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => {
      spans += part;
    });
    request.once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready));
  product = await startProduct({
    upstreamUrl: server.url,
    env: {
      DATABASE_URL: database.url,
      SECRET_KEY: planted.secretKey,
      API_KEY: planted.clientKey,
      ADMIN_KEY: planted.adminKey,
      ADMIN_PASSWORD: planted.adminPassword,
      METRICS_TOKEN: planted.metricsToken,
      UPSTREAM_KEY: planted.upstreamKey,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${planted.collectorKey}`,
    },
  });
  await plant();
});

afterAll(async () => {
  await product?.stop();
  await server?.close();
  await new Promise((closed) => collector.close(closed));
  await database?.stop();
});

const send = async (path: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
  const reply = await fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${planted.clientKey}`,
      cookie: `session=${planted.cookie}`,
      'x-own': planted.ownHeader,
      'x-request-id': planted.ownHeader,
      forwarded: planted.ownHeader,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  answers.push(text, JSON.stringify([...reply.headers]));
  return text;
};

const admin = async (path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<string> => {
  const reply = await fetch(`${product.url}${path}`, {
    method,
    headers: { 'x-admin-key': planted.adminKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return reply.text();
};

/** A conversation full of secrets. */
const conversation = (model: string, streams: boolean) => ({
  model,
  stream: streams,
  user: planted.openAiKey,
  metadata: { key: planted.openAiKey },
  messages: [
    { role: 'system', content: `Use ${planted.openAiKey} and postgres://app:${planted.databasePassword}@db/app.` },
    { role: 'user', content: [{ type: 'text', text: `aws_secret_access_key = ${planted.awsSecret}` }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_a',
          type: 'function',
          function: { name: 'run', arguments: JSON.stringify({ line: `curl -u ${planted.awsKeyId}:x` }) },
        },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'call_a',
      content: `API_TOKEN=${planted.envToken}\n${planted.gitHubToken}\n-----BEGIN RSA PRIVATE KEY-----\n${planted.privateKey}\n-----END RSA PRIVATE KEY-----\n`,
    },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'run',
        description: `Token ${planted.toolDescription}`,
        parameters: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] },
      },
    },
    { type: 'function', function: { name: planted.toolName, parameters: { type: 'object' } } },
  ],
});

async function plant(): Promise<void> {
  for (const model of Object.keys(models))
    for (const streams of [true, false])
      await send(`/v1/chat/completions?key=${planted.query}`, conversation(model, streams));
  await send('/proxy/chat/completions', conversation('leaks', true));
  await send(`/llm/${planted.modelName}/v1/chat/completions`, conversation('answers', false));
  await send(`/v1/${planted.path}`, {});
  await send('/v1/chat/completions', conversation(planted.modelName, false));
  await send('/v1/chat/completions', { ...conversation('answers', false), temperature: planted.openAiKey });
  await send('/v1/chat/completions', { ...conversation('answers', false), tool_choice: planted.openAiKey });
  await send('/v1/completions', { model: 'answers', prompt: planted.openAiKey });
  await send('/v1/responses', { model: 'answers', input: `Keep ${planted.openAiKey} for me.` });
  await send('/v1/chat/completions', conversation('answers', false), { authorization: `Bearer ${planted.wrongKey}` });
  await send('/v1/chat/completions', conversation('answers', false), { 'x-api-key': planted.otherHeaderKey });
  await send('/v1/chat/completions', conversation('answers', false), {
    authorization: `Basic ${planted.otherHeaderKey}`,
  });
  await send('/api/session', { email: 'admin@example.com', password: planted.wrongPassword });
  await send('/api/session', { email: 'admin@example.com', password: planted.adminPassword });
  const { items } = JSON.parse(await admin('/api/teams')) as { items: { id: string }[] };
  const teamId = items[0]?.id;
  made.issuedKey = (JSON.parse(await admin('/api/keys', { teamId, holder: 'Ada' })) as { secret: string }).secret;
  const batch = JSON.parse(await admin('/api/keys/batch', { teamId, holders: ['Grace'] })) as {
    issued: { link: string }[];
  };
  made.keyLink = batch.issued[0]?.link.split('#')[1] ?? '';
  await admin('/api/upstreams', {
    name: 'second',
    baseUrl: `${server.url}/second`,
    credential: planted.upstreamKey,
  });
  const hook = JSON.parse(
    await admin('/api/webhooks', {
      name: 'hook',
      url: `${server.url}/hooks/${planted.webhookPath}?token=${planted.webhookPath}`,
      triggers: { failedRate: null, upstreamDown: null, recordLost: true, budgetSpent: null },
    }),
  ) as { secret: string; webhook: { id: string } };
  made.webhookSecret = hook.secret.replace('whsec_', '');
  await admin(`/api/webhooks/${hook.webhook.id}/test`, {});
  await admin(`/api/webhooks/${hook.webhook.id}`, { url: `http://127.0.0.1:9/${planted.webhookPath}` }, 'PATCH');
  await admin(`/api/webhooks/${hook.webhook.id}/test`, {});
  await admin('/api/upstreams/test', { baseUrl: server.url, kind: null, credential: planted.upstreamKey });
  await until(
    async () => (await rows('SELECT count(*) AS n FROM turn'))[0]?.n,
    (n) => Number(n) >= 24,
  );
  exported = (JSON.parse(await admin('/api/exports', { format: 'json' })) as { id: string }).id;
  await until(
    async () => admin('/api/exports'),
    (text) => text.includes('"ready"'),
  );
  await until(
    async () => spans.length,
    (length) => length > 0,
  );
}

async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<void> {
  for (let tries = 0; ; tries++) {
    const value = await look();
    if (holds(value)) return;
    if (tries > 200) throw new Error(`did not come to hold: ${String(value)}`);
    await new Promise((wait) => setTimeout(wait, 50));
  }
}

async function rows(query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(query)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Names of the planted secrets in `text`; also with JSON escapes. */
const found = (text: string): string[] =>
  Object.entries({ ...planted, ...made })
    .filter(([, secret]) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
    .map(([name]) => name);

it('security 20 plants what it means to plant', () => {
  const models = new Set(server.received.map(({ body }) => (JSON.parse(body) as { model: string }).model));
  expect([...models].sort()).toEqual([
    'answers',
    'breaks',
    'calls',
    'jabbers',
    'leaks',
    'mumbles',
    'refuses',
    'streams',
  ]);
  expect(made).toMatchObject({
    issuedKey: expect.stringMatching(/^.{20,}$/),
    keyLink: expect.stringMatching(/^.{16,}$/),
  });
  expect(found(server.received.map(({ body }) => body).join('\n'))).toEqual(
    expect.arrayContaining(['openAiKey', 'awsKeyId', 'gitHubToken', 'privateKey', 'toolName']),
  );
});

it('security 20 none of it is printed', () => {
  expect(product.printed()).toContain('Callsmith is ready');
  expect(product.printed()).toContain('"route":"/v1/chat/completions"');
  expect(found(product.printed())).toEqual([]);
});

it('security 20 no column of any table holds any of it', async () => {
  const tables = await rows(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  );
  const leaks: string[] = [];
  let stored = 0;
  for (const { name } of tables) {
    for (const { row } of await rows(`SELECT t::text AS row FROM ${String(name)} t`)) {
      leaks.push(...found(String(row)).map((secret) => `${String(name)}: ${secret}`));
      if (String(name).includes('turn_body')) stored += 1;
    }
  }
  expect(stored).toBeGreaterThan(8);
  expect([...new Set(leaks)]).toEqual([]);
});

it('security 20 nor do /metrics and the spans', async () => {
  const metrics = await (
    await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${planted.metricsToken}` } })
  ).text();
  expect(metrics).toContain('callsmith_turns_total{');
  expect(found(metrics)).toEqual([]);
  expect(spans).toContain('gen_ai.request.model');
  expect(found(spans)).toEqual([]);
});

it('security 20 nor do the responses of the admin API and its exports', async () => {
  const lists = [
    '/api/turns?limit=100',
    '/api/failures?limit=100',
    '/api/failures/clusters',
    '/api/turns/export?format=csv',
    '/api/turns/export?format=json',
    '/api/exports',
    `/api/exports/${exported}/file`,
    '/api/webhooks',
    '/api/keys?revoked=true',
    '/api/upstreams',
    '/api/models',
    '/api/teams',
    '/api/users',
    '/api/audit',
    '/api/settings',
    '/api/status',
    '/api/checklist',
    '/api/stats/overview',
    '/api/stats/usage',
    '/api/stats/usage/over-time',
    '/api/stats/usage/export',
  ];
  const replies: Record<string, string> = {};
  for (const path of lists) replies[path] = await admin(path);
  expect(replies[`/api/exports/${exported}/file`]).toContain('turn_');
  expect(replies['/api/webhooks']).toContain('connection refused');
  const listed = JSON.parse(replies['/api/turns?limit=100'] ?? '') as { items: { id: string; stored: boolean }[] };
  for (const { id } of listed.items) replies[`/api/turns/${id}`] = await admin(`/api/turns/${id}`);
  for (const model of Object.keys(models))
    for (const part of ['', '/evidence', '/changes'])
      replies[`/api/models/${model}${part}`] = await admin(`/api/models/${model}${part}`);
  const { items } = JSON.parse(replies['/api/upstreams'] ?? '') as { items: { id: string }[] };
  for (const { id } of items) replies[`/api/upstreams/${id}/health`] = await admin(`/api/upstreams/${id}/health`);
  expect(listed.items.filter(({ stored }) => stored).length).toBeGreaterThan(8);
  const leaks = Object.entries(replies).flatMap(([path, text]) => found(text).map((secret) => `${path}: ${secret}`));
  expect(leaks).toEqual([]);
});

it('security 20 nor do the recent raw tool calls, piece by piece', async () => {
  const { items } = JSON.parse(await admin('/proxy/debug/tool-calls?limit=100')) as {
    items: { chunks: ({ arguments?: string } | string)[] }[];
  };
  expect(items.length).toBeGreaterThan(3);
  const joined = items.map(({ chunks }) =>
    chunks.map((piece) => (typeof piece === 'string' ? piece : (piece.arguments ?? ''))).join(''),
  );
  expect(found(joined.join('\n'))).toEqual([]);
});

it('security 13 keys and cookies stay on the side they came from', () => {
  const clientSecrets = [planted.clientKey, planted.cookie, planted.ownHeader, planted.query, planted.adminKey];
  const upstream = JSON.stringify(server.received.map(({ headers }) => headers));
  expect(clientSecrets.filter((secret) => upstream.includes(secret))).toEqual([]);
  expect(upstream).toContain(planted.upstreamKey);
  const upstreamSecrets = [
    planted.upstreamKey,
    planted.upstreamHeader,
    planted.secretKey,
    planted.adminKey,
    planted.metricsToken,
  ];
  expect(upstreamSecrets.filter((secret) => answers.join('\n').includes(secret))).toEqual([]);
});
