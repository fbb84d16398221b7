import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api } from '@callsmith/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routeTable } from '../route-table.ts';
import { accessRows, type RouteFor } from './route-access.ts';
import { adminKey, startTestGateway, type TestGateway } from './test-gateway.ts';

let gateway: TestGateway;
let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'callsmith-walk-'));
  cpSync(new URL('../../../../package.json', import.meta.url), join(root, 'package.json'));
  mkdirSync(join(root, 'apps/dashboard/dist/assets'), { recursive: true });
  writeFileSync(join(root, 'apps/dashboard/dist/index.html'), '<p>');
  writeFileSync(join(root, 'apps/dashboard/dist/assets/app.js'), '');
  gateway = await startTestGateway({}, root);
});
afterAll(async () => {
  await gateway.stop();
  rmSync(root, { recursive: true });
});

type CallerName = 'nobody' | 'inference key' | 'viewer' | 'editor' | 'admin' | 'admin key' | 'key owner';
type Verdict = 'open' | 'unauthenticated' | 'forbidden';

const strangers = {
  nobody: 'unauthenticated',
  'inference key': 'unauthenticated',
  'key owner': 'unauthenticated',
} as const;

/** What each caller gets at a route of this kind. */
const expected: Record<RouteFor, Record<CallerName, Verdict>> = {
  anyone: every('open'),
  'key-owner': { ...every('unauthenticated'), 'key owner': 'open' },
  viewer: { ...every('open'), ...strangers },
  editor: { ...every('open'), ...strangers, viewer: 'forbidden' },
  admin: {
    ...every('forbidden'),
    ...strangers,
    admin: 'open',
    'admin key': 'open',
  },
  inference: { ...every('unauthenticated'), 'inference key': 'open' },
  'admin-key': { ...every('unauthenticated'), 'admin key': 'open' },
  metrics: { ...every('unauthenticated'), 'admin key': 'open' },
};

function every(verdict: Verdict): Record<CallerName, Verdict> {
  const names: CallerName[] = ['nobody', 'inference key', 'viewer', 'editor', 'admin', 'admin key', 'key owner'];
  return Object.fromEntries(names.map((name) => [name, verdict])) as Record<CallerName, Verdict>;
}

const served = () => routeTable(gateway.app.getHttpAdapter().getInstance());
const named = (routes: readonly { method: string; path: string }[]) =>
  routes.map(({ method, path }) => `${method} ${path}`).sort();

it('security 1: every route has a row in route-access.ts, every row a route', () => {
  expect(named(served())).toEqual(named(accessRows()));
});

it('security 1: the contract and the table agree', () => {
  const contract = Object.values(api).flatMap((area) => Object.values(area));
  const written = accessRows().filter(({ path }) => path.startsWith('/api/') && !/^\/api\/(?:queue|hello)/.test(path));
  const rows = (all: readonly { method: string; path: string; open: string }[]) =>
    all.map(({ method, path, open }) => `${method} ${path} ${open}`).sort();
  expect(rows(written)).toEqual(rows(contract.map(({ method, path, access }) => ({ method, path, open: access }))));
});

it('security 1, 3: every route × every caller', async () => {
  const headers = await callerHeaders();
  const wrong: string[] = [];
  for (const { method, path, open } of accessRows())
    for (const [caller, own] of Object.entries(headers)) {
      const verdict = await call(method, path, own);
      const right = expected[open][caller as CallerName];
      if (verdict !== right) wrong.push(`${method} ${path}: ${caller} finds ${verdict}, not ${right}`);
    }
  expect(wrong).toEqual([]);
});

it('security 2: the form of the address decides nothing', async () => {
  await gateway.app.listen(0, '127.0.0.1');
  const { port } = gateway.app.getHttpServer().address() as { port: number };
  const targets = [
    '//api/users',
    '/api//users',
    '/api/../api/users',
    '/%61pi/users',
    '/api/%75sers',
    '/v1/../api/users',
    '/v1/%2e%2e/api/users',
    '/api/users/',
    '/api/users?x=/v1/models',
    '/api/users;/v1/models',
    '/API/users',
    `http://127.0.0.1:${port}/api/users`,
    'http://evil.example/api/users',
  ];
  for (const target of targets)
    for (const host of [`127.0.0.1:${port}`, 'localhost/v1/models?', '../../v1', 'evil.example'])
      for (const extra of ['', `x-forwarded-prefix: /v1\r\nx-original-url: /healthz\r\nx-rewrite-url: /healthz\r\n`]) {
        const answer = await rawGet(port, target, host, extra);
        expect(answer, `${target} ${host}`).not.toContain('admin@callsmith.local');
        expect(answer.split(' ')[1], `${target} ${host}`).toMatch(/^[34]/);
      }
});

async function callerHeaders(): Promise<Record<CallerName, Record<string, string>>> {
  const { body } = await gateway.send('POST', '/api/keys', {
    as: gateway.cookies.admin,
    body: { teamId: gateway.teams.own, holder: 'walk' },
  });
  const { body: made } = await gateway.send('POST', `/api/keys/${body.key.id}/connect-link`, {
    as: gateway.cookies.admin,
  });
  const opened = await gateway.send('POST', '/api/connect/session', {
    body: { token: String(made.link).split('#')[1] },
  });
  return {
    nobody: {},
    'inference key': { authorization: `Bearer ${body.secret}`, 'x-api-key': body.secret },
    viewer: { cookie: gateway.cookies.viewer },
    editor: { cookie: gateway.cookies.editor },
    admin: { cookie: gateway.cookies.admin },
    'admin key': { 'x-admin-key': adminKey },
    'key owner': { cookie: String(opened.headers['set-cookie']).split(';')[0]! },
  };
}

/** Calls with an empty body: an authorized caller gets a validation error, and nothing is changed. */
async function call(method: string, path: string, headers: Record<string, string>): Promise<Verdict> {
  const url = path.replace(':id', 'none').replace('*', 'none');
  const write = method !== 'GET' && method !== 'DELETE';
  const { status } = await gateway.send(method as 'GET', url, { headers, ...(write && { body: {} }) });
  if (status === 401) return 'unauthenticated';
  return status === 403 ? 'forbidden' : 'open';
}

function rawGet(port: number, target: string, host: string, extra: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n${extra}connection: close\r\n\r\n`);
    });
    let answer = '';
    socket.on('data', (part) => {
      answer += part.toString('latin1');
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}
