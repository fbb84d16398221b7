import { fileURLToPath } from 'node:url';
import { type Config, checkSettings, settingsFrom } from '@callsmith/config';
import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { hashPassword } from '@callsmith/data/secrets';
import { seed } from '@callsmith/data/seed';
import { testDatabase } from '@callsmith/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app.ts';
import { demoModels } from '../demo/tasks.ts';

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));

export const adminKey = 'an-admin-key-of-tests';
export const password = 'correct horse battery';
export const demoUpstream = 'http://127.0.0.1:9/v1';

/** A response of the admin API. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  readonly body: any;
  readonly headers: Record<string, string | string[] | undefined>;
}

/** How a request is sent; `as`: with whose session. */
export interface SendOptions {
  readonly as?: string | undefined;
  readonly body?: object | undefined;
  readonly headers?: Record<string, string>;
}

/** A whole gateway on a separate database, with a team, users and the demo's models. */
export interface TestGateway {
  readonly app: NestFastifyApplication;
  readonly prisma: PrismaService;
  readonly config: Config;
  /** Ids of the teams: that of editor and viewer, and another one. */
  readonly teams: { readonly own: string; readonly other: string };
  /** Cookies by role. */
  readonly cookies: Record<'admin' | 'editor' | 'viewer', string>;
  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', url: string, how?: SendOptions): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts a gateway for tests; `env`: its settings, `root`: the installation's folder. */
export async function startTestGateway(env: Record<string, string> = {}, root = checkout): Promise<TestGateway> {
  const database = await testDatabase();
  const settings = settingsFrom(checkSettings({ env: { ADMIN_KEY: adminKey, ...env }, file: {} }), root);
  const config: Config = { ...settings, databaseUrl: database.url, secretKey: 'a-secret-of-tests-'.repeat(3), root };
  const prisma = createPrisma(database.url, 2);
  await fill(prisma, config);
  const app = await createApp(config);
  const send: TestGateway['send'] = async (method, url, { as, body, headers = {} } = {}) => {
    const reply = await app.inject({
      method,
      url,
      headers: { ...(as !== undefined && { cookie: as }), ...headers },
      ...(body !== undefined && { payload: body }),
    });
    const json = String(reply.headers['content-type']).includes('json');
    return {
      status: reply.statusCode,
      body: json ? reply.json() : reply.body,
      headers: reply.headers as Answer['headers'],
    };
  };
  const cookies = {
    admin: await signedIn(send, 'admin@callsmith.local'),
    editor: await signedIn(send, 'editor@example.com'),
    viewer: await signedIn(send, 'viewer@example.com'),
  };
  const teams = {
    own: (await prisma.team.findUniqueOrThrow({ where: { name: 'default' } })).id,
    other: (await prisma.team.findUniqueOrThrow({ where: { name: 'other' } })).id,
  };
  return {
    app,
    prisma,
    config,
    teams,
    cookies,
    send,
    async stop() {
      await app.close();
      await prisma.$disconnect();
      await database.stop();
    },
  };
}

async function fill(prisma: PrismaService, { secretKey, admin }: Config): Promise<void> {
  const models = demoModels.map((name) => ({ name, contextLength: 32_768 }));
  await seed(prisma, {
    secretKey,
    admin: { email: admin.email, password },
    apiKey: undefined,
    demo: { baseUrl: demoUpstream, key: undefined, models },
  });
  const team = await prisma.team.findUniqueOrThrow({ where: { name: 'default' } });
  await prisma.team.create({ data: { id: newId('team'), name: 'other' } });
  const passwordHash = await hashPassword(password);
  for (const role of ['editor', 'viewer'])
    await prisma.user.create({
      data: { id: newId('user'), email: `${role}@example.com`, role, teamId: team.id, passwordHash },
    });
}

/** The cookie of a new session. */
export async function signedIn(send: TestGateway['send'], email: string): Promise<string> {
  const { status, headers, body } = await send('POST', '/api/session', { body: { email, password } });
  if (status !== 200) throw new Error(`${email} cannot sign in: ${JSON.stringify(body)}`);
  return String(headers['set-cookie']).split(';')[0]!;
}
