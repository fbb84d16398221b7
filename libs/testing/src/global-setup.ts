import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@callsmith/data/database';
import { startEmbeddedPostgres } from '@callsmith/data/embedded';
import type { TestProject } from 'vitest/node';
import './stores.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** Starts the stores once for the whole run of vitest: the embedded Postgres, and a Redis if one is installed. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-test-'));
  chmodSync(folder, 0o755); // as root, the database server runs under another account
  const postgres = await startEmbeddedPostgres(folder);
  await migrate(postgres.url, MIGRATIONS);
  const redis = process.env.REDIS_URL ? { url: process.env.REDIS_URL, stop: () => {} } : await startRedis();
  project.provide('stores', { postgres: postgres.url, redis: redis?.url });
  return async () => {
    redis?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function startRedis(): Promise<{ url: string; stop(): void } | undefined> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const port = await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: 'ignore',
    },
  );
  await takesConnections(server, port);
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill() };
}

async function takesConnections(server: ChildProcess, port: number): Promise<void> {
  for (let attempt = 0; attempt < 200 && server.exitCode === null; attempt++) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the Redis for the tests did not start');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
