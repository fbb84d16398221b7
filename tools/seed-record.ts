// Fills the embedded database of a data folder with many turns and leaves it there:
//   node tools/run.mjs tools/seed-record.ts TURNS DAYS FOLDER
// A gateway with DATA_DIR=FOLDER then shows them.
import { fileURLToPath } from 'node:url';
import { createPrisma, migrate } from '@callsmith/data/database';
import { startEmbeddedPostgres } from '@callsmith/data/embedded';
import pg from 'pg';
import { seedTurns } from './many-turns.ts';

const [turns, days, folder] = process.argv.slice(2);
if (!turns || !days || !folder) throw new Error('usage: node tools/run.mjs tools/seed-record.ts TURNS DAYS FOLDER');

const postgres = await startEmbeddedPostgres(folder);
const prisma = createPrisma(postgres.url);
const client = new pg.Client({ connectionString: postgres.url, options: '-c TimeZone=UTC' });
try {
  await migrate(postgres.url, fileURLToPath(new URL('../prisma/migrations', import.meta.url)));
  await client.connect();
  const progress = (message: string) => process.stderr.write(`${message}\n`);
  await seedTurns(client, prisma, { turns: Number(turns), days: Number(days), progress });
} finally {
  await client.end();
  await prisma.$disconnect();
  await postgres.stop();
}
