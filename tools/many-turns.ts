import type { PrismaService } from '@callsmith/data/database';
import { rollUp } from '@callsmith/data/stats';
import type pg from 'pg';

/**
 * Fills an empty, migrated database with turns of the last `days` and rolls them up: twelve models, eight teams, sixty
 * keys, ten clients; one turn in ten is not clean. As by default, those that are not clean, and a fifth of the others,
 * have a body to search for seven days. A database with turns is not changed.
 */
export async function seedTurns(
  client: pg.Client,
  prisma: PrismaService,
  { turns, days, progress }: { turns: number; days: number; progress: (message: string) => void },
): Promise<void> {
  const { rows } = await client.query('SELECT count(*)::int AS days FROM turn_rollup WHERE grain = $1', ['day']);
  if (rows[0].days > 0) return;
  await client.query(`SELECT make_days((now() - interval '${days} days')::date, (now() + interval '1 day')::date)`);
  // This row exists as soon as there are teams, because every configuration change counts it.
  await client.query("INSERT INTO setting (name, value) VALUES ('directory.version', '1') ON CONFLICT DO NOTHING");
  await client.query(`INSERT INTO team (id, name) SELECT 'team_' || n, 'Team ' || n FROM generate_series(0, 7) AS n`);
  await client.query(
    `INSERT INTO model (id, name) SELECT 'model_' || n, 'Model ' || n FROM generate_series(0, 11) AS n`,
  );
  await client.query(`
    INSERT INTO strategy_change (id, at, model_id, from_strategy, to_strategy, actor)
    SELECT 'chg_' || n, now() - n * interval '5 hours', 'model_' || n, 'native', 'prompt', 'seed' FROM generate_series(1, 3) AS n`);
  // Built from the rows at the end, which is many times faster.
  await client.query('DROP INDEX turn_body_words_idx');
  await client.query(SEED_TEXTS);
  await client.query('CREATE INDEX ON seed_text (n)');
  const perDay = Math.ceil(turns / days);
  for (let day = days; day > 0; day--) {
    const began = performance.now();
    await client.query('BEGIN');
    await client.query(SEED_TURNS, [day, perDay]);
    await client.query(SEED_CALLS, [day]);
    if (day <= BODY_DAYS) await client.query(SEED_BODIES, [day]);
    await client.query('COMMIT');
    progress(`day ${days - day + 1} of ${days}: ${perDay} turns in ${Math.round(performance.now() - began)} ms`);
  }
  progress('index of the words');
  await client.query("SET maintenance_work_mem = '1GB'");
  await client.query('CREATE INDEX turn_body_words_idx ON turn_body USING gin (words)');
  await client.query(`
    INSERT INTO rollup_mark (grain, bucket)
    SELECT DISTINCT 'minute', date_trunc('minute', at) FROM turn UNION SELECT DISTINCT 'hour', date_trunc('hour', at) FROM turn`);
  await client.query('ANALYZE');
  const began = performance.now();
  const buckets = await rollUp(prisma);
  progress(`${buckets} buckets rolled up in ${Math.round(performance.now() - began)} ms`);
  await client.query('VACUUM ANALYZE');
}

/** Bodies are kept this many days by default. */
const BODY_DAYS = 7;

const SEED_TURNS = `
INSERT INTO turn (id, at, request_id, route, team_id, key_id, model_id, model, upstream_id, engine_version, strategy,
  strategy_used, dialect, product_version, client, conversation, streamed, outcome, classes, tools_offered, calls,
  injected_tokens, input_tokens, output_tokens, token_source, added_us, first_token_ms, total_ms, attempts, status,
  error_origin, error_code, stored)
SELECT
  (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid,
  at, 'req_' || substr(h, 1, 16), '/v1/chat/completions', 'team_' || k % 8, 'key_' || k, 'model_' || m, 'Model ' || m,
  'up_' || m % 3, '0.9.2', 'auto', CASE WHEN m % 3 = 0 THEN 'prompt' ELSE 'native' END, 'hermes', '1.0.0',
  'client_' || k % 10, substr(h, 1, 32), true, outcome,
  CASE WHEN outcome = 'failed' THEN ARRAY['InvalidJson'] WHEN outcome = 'repaired' THEN ARRAY['LeakedCall'] ELSE '{}' END,
  5, CASE WHEN outcome IN ('clean', 'repaired', 'invalid', 'failed') THEN 1 ELSE 0 END, 0, (r * 20000)::int, (r * 800)::int,
  'upstream', (exp(r * 8) * 50)::int, (exp(r * 6) * 20)::int, (r * 20000)::int, 1, CASE WHEN outcome IS NULL THEN 504 ELSE 200 END,
  CASE WHEN outcome IS NULL THEN 'upstream' END, CASE WHEN outcome IS NULL THEN 'upstream_timeout' END,
  $1 <= ${BODY_DAYS} AND (outcome IS NULL OR outcome NOT IN ('clean', 'none') OR random() < 0.2)
FROM (
  SELECT date_trunc('milliseconds', now() - $1 * interval '1 day' + random() * interval '1 day') AS at, md5(random()::text) AS h,
    floor(random() * 60)::int AS k, random() AS r, floor(random() * 12)::int AS m,
    (ARRAY['clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'clean',
      'clean', 'clean', 'none', 'none', 'none', 'repaired', 'failed', NULL])[1 + floor(random() * 20)::int] AS outcome
  FROM generate_series(1, $2::int) AS n
) AS drawn`;

const SEED_CALLS = `
INSERT INTO call (turn_id, at, n, tool, outcome, classes, rules, action, bytes, shape)
SELECT id, at, 0, 'tool_' || ('x' || substr(conversation, 1, 4))::bit(16)::int % 300, outcome, classes,
  CASE WHEN outcome = 'repaired' THEN ARRAY['leaked-call'] ELSE '{}' END, NULL, 200,
  CASE WHEN outcome <> 'clean' THEN substr(conversation, 1, 2) END
FROM turn WHERE calls > 0 AND at >= now() - $1 * interval '1 day' AND at < now() - ($1 - 1) * interval '1 day'`;

/**
 * Ten thousand texts of 300 words, as often as in prose: of the words w1 to w60000, the first is in every text, w1000 in
 * one of forty.
 */
const SEED_TEXTS = `
CREATE TEMPORARY TABLE seed_text AS SELECT n, (
    SELECT string_agg('''w' || word || ''':' || places, ' ')
    FROM (
      SELECT word, string_agg(place::text, ',') AS places
      FROM (
        SELECT floor(exp(random() * ln(60000)))::int AS word, place FROM generate_series(1, 300) AS place WHERE n > 0
      ) AS drawn GROUP BY word
    ) AS counted
  )::tsvector AS words
FROM generate_series(1, 10000) AS n`;

/** Each has one of the texts, and a word that no other body has. */
const SEED_BODIES = `
INSERT INTO turn_body (turn_id, at, notes, settings, words, argument_paths)
SELECT id, at, '[]', '{}', words || ('''h' || conversation || ''':1')::tsvector,
  ARRAY['path', 'edits.path', 'option_' || ('x' || substr(conversation, 1, 4))::bit(16)::int % 300]
FROM turn JOIN seed_text ON seed_text.n = 1 + ('x' || substr(conversation, 5, 7))::bit(28)::int % 10000
WHERE stored AND at >= now() - $1 * interval '1 day' AND at < now() - ($1 - 1) * interval '1 day'`;
