import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { migrate } from './migrate.ts';

/** A real Postgres of its own for one test file, migrated. */
export async function testDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-test-'));
  const postgres = await startEmbeddedPostgres(folder);
  await migrate(postgres.url, fileURLToPath(new URL('../../../prisma/migrations', import.meta.url)));
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
