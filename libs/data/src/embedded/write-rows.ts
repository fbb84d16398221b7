import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

// Run by embedded-postgres.test.ts, which kills it: prints the number of each row once it is committed.
const { url } = await startEmbeddedPostgres(process.argv[2] ?? '');
const client = new pg.Client({ connectionString: url });
client.on('error', () => {});
await client.connect();
await client.query('CREATE TABLE rows (n int)');
for (let n = 1; ; n++) {
  await client.query('INSERT INTO rows VALUES ($1)', [n]);
  process.stdout.write(`${n}\n`);
}
