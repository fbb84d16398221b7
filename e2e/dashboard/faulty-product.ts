import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '@callsmith/simulator';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../libs/data/src/embedded/embedded-postgres.ts';
import { forwarder } from '../../libs/testing/src/forwarder.ts';
import { type Product, startProduct } from '../product.ts';

/** A product whose database the test can reach, and disconnect from the product. */
export interface FaultyProduct {
  readonly product: Product;
  readonly database: pg.Client;
  /** From now on the product does not reach its database. */
  cut(): void;
  restore(): void;
  stop(): Promise<void>;
}

/** Starts an empty product with a simulated model server on a separate database. */
export async function startFaultyProduct(): Promise<FaultyProduct> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-stage-'));
  chmodSync(folder, 0o755); // as root, the database server runs under another account
  const simulator = await startSimulator();
  const postgres = await startEmbeddedPostgres(folder);
  const line = await forwarder(postgres.url);
  const product = await startProduct({
    upstreamUrl: simulator.url,
    env: { DATABASE_URL: line.url, SECRET_KEY: 'a-secret-key-of-the-stage-tests-0123456789' },
  });
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  return {
    product,
    database,
    cut: () => line.cut(),
    restore: () => line.restore(),
    async stop() {
      await product.stop();
      await database.end();
      await line.stop();
      await postgres.stop();
      await simulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
