import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { insertRows } from './insert.ts';
import { rowsOf } from './test-turns.ts';
import type { TurnRecord } from './turn-record.ts';

/** A database with partitions for the record's last days. */
export interface TestRecord {
  readonly url: string;
  readonly prisma: PrismaService;
  readonly pool: pg.Pool;
  /** Inserts requests with their calls and bodies. */
  write(turns: readonly TurnRecord[]): Promise<void>;
  /** Removes everything recorded. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a database that can record requests of the last four days and of tomorrow. */
export async function startTestRecord(): Promise<TestRecord> {
  const database = await testDatabase();
  const prisma = createPrisma(database.url);
  const pool = new pg.Pool({ connectionString: database.url, options: '-c TimeZone=UTC' });
  await pool.query(`SELECT make_days((now() - interval '4 days')::date, (now() + interval '1 day')::date)`);
  return {
    url: database.url,
    prisma,
    pool,
    async write(turns) {
      await insertRows(
        pool,
        turns.map((turn) => rowsOf(turn, '1.0.0')),
      );
    },
    async clear() {
      await pool.query(
        'TRUNCATE turn, call, turn_body, turn_rollup, model_rollup, call_rollup, finding_rollup, rollup_mark',
      );
    },
    async stop() {
      await prisma.$disconnect();
      await pool.end();
      await database.stop();
    },
  };
}
