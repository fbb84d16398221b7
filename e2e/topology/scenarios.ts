import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, startLoad, type Tally } from './load.ts';
import { admin, type Gateway, keyWith, metric, readiness, type Site, until } from './site.ts';
import { redisFigures, rows, type Store } from './stores.ts';

/** The size of a run. */
export interface Scale {
  readonly streams: number;
  /** Seconds of a stream while gateways are restarted, and in the other scenarios. */
  readonly longSeconds: number;
  readonly seconds: number;
  /** Seconds that a store is down. */
  readonly awaySeconds: number;
}

/** The results. */
export interface Finding {
  readonly what: string;
  readonly seen: string;
  /** What failed; empty: nothing. */
  readonly problems: readonly string[];
}

const perfectly = (name: string, { streams, short }: Load): string[] =>
  [streams, short].flatMap((tally) =>
    tally.complete === total(tally) ? [] : [`${name}: ${ends(tally)} (${[...tally.reasons].slice(0, 3).join('; ')})`],
  );

const total = ({ complete, cut, refused, 'no connection': none }: Tally): number => complete + cut + refused + none;

const ends = (tally: Tally): string =>
  (['complete', 'cut', 'refused', 'no connection'] as const)
    .filter((ending) => tally[ending] > 0)
    .map((ending) => `${tally[ending]} ${ending}`)
    .join(', ');

const summary = ({ streams, short }: Load): string => `streams: ${ends(streams)}; short requests: ${ends(short)}`;

/** One gateway after the other is restarted while streams run. */
export async function rollingRestart(site: Site, { streams, longSeconds }: Scale): Promise<Finding> {
  const key = await keyWith(site, { requestsPerMinute: 100_000 });
  const load = startLoad(site.balancer.url, key, { streams, seconds: longSeconds });
  await sleep(longSeconds * 500 + 2_000);
  const took: string[] = [];
  for (const gateway of site.gateways) {
    took.push((await gateway.stop()).toFixed(0));
    await gateway.start();
    await sleep(5_000); // until the balancer checks it again
  }
  await load.end();
  return {
    what: `rolling restart under ${streams} streams of ${longSeconds} s`,
    seen: `${summary(load)}; the gateways ended after ${took.join(' and ')} s`,
    problems: perfectly('rolling restart', load),
  };
}

/** One of the two is killed: its own requests break, but no other's, and no later one. */
export async function killedGateway(site: Site, { streams, seconds }: Scale): Promise<Finding> {
  const key = await keyWith(site, { requestsPerMinute: 100_000 });
  const load = startLoad(site.balancer.url, key, { streams, seconds });
  await sleep(seconds * 500 + 2_000);
  const [doomed, other] = site.gateways;
  const running = await metric(doomed, 'callsmith_streams');
  const survived = await metric(other, 'callsmith_streams');
  await doomed.kill();
  await sleep(5_000);
  // The balancer has noticed it: from here on nothing may break.
  const after = startLoad(site.balancer.url, key, { streams: 4, seconds });
  await sleep(3_000);
  await Promise.all([load.end(), after.end()]);
  await doomed.start();
  const broken = total(load.streams) + total(load.short) - load.streams.complete - load.short.complete;
  const most = running + 4 + 4; // and what arrived before the balancer noticed
  return {
    what: `a gateway killed under ${streams} streams`,
    seen: `it was serving ${running} requests and the other ${survived}; ${summary(load)}; started 5 s later: ${summary(after)}`,
    problems: [
      ...(broken > most ? [`a killed gateway: ${broken} broken, where ${running} ran on it`] : []),
      ...perfectly('after a killed gateway', after),
    ],
  };
}

/** A store is killed under load and comes back: nothing is refused, cut or left unrecorded. */
export async function storeAway(
  site: Site,
  name: 'PostgreSQL' | 'Redis',
  { streams, seconds, awaySeconds }: Scale,
): Promise<Finding> {
  const store: Store = name === 'Redis' ? site.redis : site.postgres;
  const key = await keyWith(site, { requestsPerMinute: 100_000 });
  const recordedBefore = await recorded(site);
  const load = startLoad(site.balancer.url, key, { streams, seconds });
  await sleep(3_000);
  await store.kill();
  const [gateway] = site.gateways;
  const noticed = await until('/readyz tells', 20, async () => (await readiness(gateway)) === 'degraded');
  await sleep(Math.max(0, awaySeconds - noticed) * 1000);
  await store.start();
  const healed = await until('/readyz is well', 60, async () => (await readiness(gateway)) === 'ready');
  await load.end();
  const requestCount = total(load.streams) + total(load.short);
  const lost =
    (await metric(site.gateways[0], 'callsmith_record_lost')) +
    (await metric(site.gateways[1], 'callsmith_record_lost'));
  let written = 0;
  await until('all is recorded', 60, async () => {
    written = (await recorded(site)) - recordedBefore;
    return written >= requestCount;
  }).catch(() => undefined);
  return {
    what: `${name} unreachable for ${awaySeconds} s`,
    seen: `${summary(load)}; noticed after ${noticed.toFixed(1)} s, recovered ${healed.toFixed(1)} s after it was back; recorded: ${written} of ${requestCount}`,
    problems: [
      ...perfectly(`${name} away`, load),
      ...(written === requestCount && lost === 0
        ? []
        : [`${name} away: ${written} of ${requestCount} requests recorded, ${lost} lost`]),
    ],
  };
}

const recorded = async ({ postgres }: Site): Promise<number> =>
  Number((await rows(postgres.url, `SELECT count(*) AS n FROM turn`))[0]?.n);

/** A conversation of `/v1/responses` continues at whichever gateway the balancer picks. */
export async function hoppingConversation({ balancer, gateways: [first] }: Site, pauseMs = 0): Promise<Finding> {
  const gateways: string[] = [];
  const problems: string[] = [];
  let previous: string | undefined;
  for (let turn = 1; turn <= 8; turn++) {
    const reply = await fetch(`${balancer.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${first.product.apiKey}` },
      body: JSON.stringify({
        model: 'short',
        input: `Turn ${turn}.`,
        ...(previous !== undefined && { previous_response_id: previous }),
      }),
    });
    const text = await reply.text();
    if (!reply.ok) return { what: conversation, seen: 'it broke', problems: [`turn ${turn}: ${reply.status} ${text}`] };
    previous = (JSON.parse(text) as { id: string }).id;
    gateways.push(reply.headers.get('x-gateway') ?? '');
    await sleep(pauseMs);
  }
  const hops = gateways.filter((gateway, turn) => turn > 0 && gateway !== gateways[turn - 1]).length;
  if (hops === 0) problems.push('the conversation stayed with one gateway');
  const items = await fetch(`${first.product.url}/v1/responses/${previous}/input_items?limit=100`, {
    headers: { authorization: `Bearer ${first.product.apiKey}` },
  });
  if (items.ok) {
    const { data } = (await items.json()) as { data: unknown[] };
    if (data.length !== 15) problems.push(`the last turn has ${data.length} items before it, not 15`);
  }
  return { what: conversation, seen: `${gateways.length} turns, ${hops} hops`, problems };
}
const conversation = 'a conversation of `/v1/responses`';

/** Many concurrent requests through the balancer spend one budget once. */
export async function oneBudget(site: Site): Promise<Finding> {
  const budget = 2_000;
  const key = await keyWith(site, { tokenBudget: budget, budgetPeriod: 'day' });
  const gateways = new Set<string>();
  const ask = async () => {
    const reply = await fetch(`${site.balancer.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: 'short',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Say the same thing again, please.' }],
      }),
    });
    gateways.add(reply.headers.get('x-gateway') ?? '');
    const { usage } = (await reply.json()) as { usage?: { total_tokens: number } };
    return { status: reply.status, tokens: usage?.total_tokens ?? 0 };
  };
  const replies: Awaited<ReturnType<typeof ask>>[] = [];
  for (let round = 0; round < 30; round++) replies.push(...(await Promise.all(Array.from({ length: 10 }, ask))));
  const spent = replies.reduce((sum, { tokens }) => sum + tokens, 0);
  const answered = replies.filter(({ status }) => status === 200).length;
  const refused = replies.filter(({ status }) => status === 403).length;
  return {
    what: `a budget of ${budget} tokens, 300 requests at both gateways`,
    seen: `${answered} answered, ${refused} refused, ${spent} tokens spent`,
    problems: [
      ...(spent > budget || spent < budget * 0.8 ? [`a budget of ${budget} was spent to ${spent}`] : []),
      ...(answered + refused === replies.length ? [] : ['a request was neither answered nor refused for the budget']),
      ...(gateways.size === 2 ? [] : ['one gateway answered all']),
    ],
  };
}

/** An older version and this one run together on one database, which this one has migrated. */
export async function twoVersions(site: Site, { streams, seconds }: Scale): Promise<Finding[]> {
  const [, now] = site.gateways;
  const key = await keyWith(site, { requestsPerMinute: 100_000 });
  const before = await recorded(site);
  const load = startLoad(site.balancer.url, key, { streams, seconds });
  await sleep(seconds * 1000);
  await load.end();
  const requestCount = total(load.streams) + total(load.short);
  let written = 0;
  await until('all is recorded', 30, async () => {
    written = (await recorded(site)) - before;
    return written >= requestCount;
  }).catch(() => undefined);
  const { items } = await admin(now, 'GET', '/api/turns?limit=100');
  return [
    {
      what: `two versions on one database under ${streams} streams`,
      seen: `${summary(load)}; recorded: ${written} of ${requestCount}`,
      problems: [
        ...perfectly('two versions', load),
        ...(written === requestCount ? [] : [`two versions: ${written} of ${requestCount} requests recorded`]),
        ...(items.length > 0 ? [] : ['this version lists no requests']),
        ...(load.short.gateways.size === 2 ? [] : ['two versions: one gateway answered all']),
      ],
    },
    await oneBudget(site),
    // v0.1.0 stores a response a moment after it has sent it.
    await hoppingConversation(site, 1_000),
  ];
}

/** The cost of requests for the gateways and the stores. */
export interface Costs {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly cpuMs: number;
  readonly transactions: number;
  readonly walKb: number;
  readonly redisCommands: number;
  readonly rowBytes: number;
}

/** Measures the cost of a short request with a limited key, under load for some seconds. */
export async function measureCosts(site: Site, seconds: number): Promise<Costs> {
  const key = await keyWith(site, { requestsPerMinute: 1_000_000, tokenBudget: 1_000_000_000, budgetPeriod: 'day' });
  const snapshot = async () => ({
    at: performance.now(),
    cpuMs: site.gateways.reduce((sum, gateway) => sum + cpuMs(gateway), 0),
    redis: redisFigures(site.redis.url).commands,
    ...(await databaseFigures(site)),
  });
  const before = await snapshot();
  const loads = Array.from({ length: 4 }, () => startLoad(site.balancer.url, key, { streams: 0, seconds: 1 }));
  await sleep(seconds * 1000);
  await Promise.all(loads.map((load) => load.end()));
  const requests = loads.reduce((sum, { short }) => sum + short.complete, 0);
  await sleep(3_000); // the record is written a moment later
  const after = await snapshot();
  return {
    requests,
    requestsPerSecond: requests / ((after.at - before.at) / 1000),
    cpuMs: (after.cpuMs - before.cpuMs) / requests,
    transactions: (after.transactions - before.transactions) / requests,
    walKb: (after.wal - before.wal) / 1024 / requests,
    redisCommands: (after.redis - before.redis) / requests,
    rowBytes: (after.bytes - before.bytes) / requests,
  };
}

async function databaseFigures({ postgres }: Site) {
  const [row] = await rows(
    postgres.url,
    `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions,
            pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, pg_database_size(current_database()) AS bytes`,
  );
  return { transactions: Number(row?.transactions), wal: Number(row?.wal), bytes: Number(row?.bytes) };
}

/** CPU time of a gateway's process so far. */
function cpuMs({ product }: Gateway): number {
  const stat = readFileSync(`/proc/${product.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
