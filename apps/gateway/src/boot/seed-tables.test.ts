import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, checkSettings, settingsFrom } from '@callsmith/config';
import { createPrisma } from '@callsmith/data/database';
import { testDatabase } from '@callsmith/testing';
import { expect, it } from 'vitest';
import { seedTables } from './seed-tables.ts';

it('CONFIG_FILE is applied at the start, once by two gateways that start at the same time, and an invalid one stops the start', async () => {
  const database = await testDatabase();
  const root = mkdtempSync(join(tmpdir(), 'callsmith-fill-'));
  const file = join(root, 'callsmith.yaml');
  const env = { CONFIG_FILE: 'callsmith.yaml', DEMO: 'off' };
  const settings = settingsFrom(checkSettings({ env, file: {} }), root);
  const config: Config = { ...settings, databaseUrl: database.url, secretKey: 'a-secret-of-tests-'.repeat(3), root };
  const prisma = createPrisma(database.url, 1);
  try {
    writeFileSync(file, 'version: 1\n');
    await seedTables(config, undefined);
    writeFileSync(file, 'version: 1\nupstreams: [{name: gpu, baseUrl: "http://127.0.0.1:1"}]\n');
    await Promise.all([seedTables(config, undefined), seedTables(config, undefined)]);
    const rows = await prisma.upstream.findMany({ where: { name: 'gpu' } });
    expect(rows).toMatchObject([{ managedBy: 'file', enabled: true }]);
    const changes = await prisma.audit.findMany({ where: { actor: 'config-file' } });
    expect(changes.map(({ action }) => action)).toEqual(['upstream.add']);

    writeFileSync(file, 'version: 1\nupstreams: [{name: gpu}]\n');
    await expect(seedTables(config, undefined)).rejects.toThrow(
      /callsmith\.yaml:2: upstreams\[0\]\.baseUrl is required/,
    );
  } finally {
    await prisma.$disconnect();
    await database.stop();
  }
});
