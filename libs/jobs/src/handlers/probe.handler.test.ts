import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import {
  cancelProbe,
  deleteCase,
  findProbe,
  openProbes,
  type Probe,
  type ProbeArm,
  saveCase,
  savedCasesOf,
  startProbe,
} from '@callsmith/data/probes';
import type { ConfigSnapshot } from '@callsmith/data/snapshot';
import { type Expectation, furtherQuestions, probeQuestions, type SavedCases } from '@callsmith/evaluate';
import { testDatabase } from '@callsmith/testing';
import { Fault, type JsonObject } from '@callsmith/turn';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handlersOf } from '../job.ts';
import { probe as job } from '../jobs/probe.ts';
import type { MeasuredAnswer, ProbeClient } from '../probe/probe-client.ts';
import type { JobRunner } from '../runner.ts';
import { BullmqRunner } from '../runners/bullmq.ts';
import { InlineRunner } from '../runners/test-inline-runner.ts';
import { ProbeHandler } from './probe.handler.ts';
import { WatchProbesHandler } from './watch-probes.handler.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
let modelId: string;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url);
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.stop();
});
beforeEach(async () => {
  await prisma.probe.deleteMany();
  modelId = newId('model');
  await prisma.model.create({ data: { id: modelId, name: modelId } });
});

const runners: [name: string, make: () => JobRunner][] = [
  ['inline', () => new InlineRunner()],
  [
    'BullMQ on Postgres',
    () =>
      new BullmqRunner({
        databaseUrl: database.url,
        redisUrl: undefined,
        queue: newId('lease'),
        done: () => {},
        onError: () => {},
      }),
  ],
];
const open: JobRunner[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((runner) => runner.stop()));
});

const arms = [
  { strategy: 'native', dialect: null },
  { strategy: 'prompt', dialect: 'hermes' },
] as const;
const plenty = { requests: 1_000, tokens: 1_000_000, minutes: 5 };

async function started(
  budget: Partial<typeof plenty> = {},
  size: Probe['size'] = 'quick',
  probedArms: readonly ProbeArm[] = arms,
): Promise<Probe> {
  const found = await startProbe(
    prisma,
    { actor: 'user_1' },
    {
      modelId,
      upstreamId: 'up_1',
      engineVersion: '1',
      cause: 'asked',
      size,
      arms: probedArms,
      inEffect: 0,
      budget: { ...plenty, ...budget },
    },
  );
  if ('busy' in found) throw new Error(found.busy);
  return found.probe;
}

const plain: MeasuredAnswer = {
  text: '',
  calls: [],
  clean: true,
  refusal: null,
  inputTokens: 100,
  outputTokens: 20,
  firstTokenMs: 5,
};

/** The right answer to a question. */
function rightFor(expects: Expectation): MeasuredAnswer {
  if (expects.kind === 'text') return { ...plain, text: `${expects.holds.join(' ')} ?` };
  const names = expects.kind === 'tools' ? expects.names : ['now'];
  const calls = expects.kind === 'calls' ? expects.calls : names.map((name) => ({ name, arguments: {} }));
  return {
    ...plain,
    calls: calls.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments), valid: true })),
  };
}

/** A client that answers correctly, except as `otherwise` says. */
function model(
  { id, size, savedCases = [] }: Pick<Probe, 'id' | 'size'> & { readonly savedCases?: SavedCases },
  otherwise: (
    arm: string,
    request: JsonObject,
    examples: boolean,
  ) => Partial<MeasuredAnswer> | Promise<Partial<MeasuredAnswer>> | undefined = () => undefined,
): ProbeClient & { readonly requested: string[]; most: number } {
  const questions = [...probeQuestions(id, size, savedCases), ...furtherQuestions(id, size)];
  const expected = new Map(questions.map(({ request, expects }) => [JSON.stringify(request), expects]));
  let running = 0;
  const asks = {
    requested: [] as string[],
    most: 0,
    arms: () => ({ arms, inEffect: 0 }),
    support: async () => [{ what: 'tools', support: 'works' as const, detail: '' }],
    async ask(_: unknown, { strategy, examples = false }: ProbeArm, request: JsonObject) {
      asks.most = Math.max(asks.most, ++running);
      asks.requested.push(strategy);
      const expects = expected.get(JSON.stringify(request));
      if (expects === undefined) throw new Error('not a question of this probe');
      await new Promise((done) => setTimeout(done, 2));
      const more = await otherwise(strategy, request, examples);
      running--;
      return { ...rightFor(expects), ...more };
    },
  };
  return asks;
}

async function working(make: () => JobRunner, asks: ProbeClient): Promise<JobRunner> {
  const runner = make();
  open.push(runner);
  await runner.work(handlersOf([job], [new ProbeHandler(prisma, asks)]));
  return runner;
}

async function until(id: string, holds: (probe: Probe) => boolean): Promise<Probe> {
  for (let tries = 0; tries < 1_000; tries++) {
    const probe = await findProbe(prisma, id);
    if (probe && holds(probe)) return probe;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`never held: ${JSON.stringify(await findProbe(prisma, id)).slice(0, 500)}`);
}
const over = ({ state }: Probe): boolean => state !== 'waiting' && state !== 'running';
const refusal = 'upstream_error: "auto" tool choice requires --enable-auto-tool-choice';

describe.each(runners)('a probe by %s', (_name, make) => {
  it('asks every question in every arm, four at a time, and stores each result', async () => {
    const probe = await started();
    const asks = model(probe);
    const runner = await working(make, asks);
    await runner.add(job, { id: probe.id }, { id: probe.id });
    const { state, problem, rows, support, spent, endedAt } = await until(probe.id, over);
    expect({ state, problem, ended: endedAt !== null }).toEqual({ state: 'done', problem: null, ended: true });
    expect(rows).toHaveLength(2 * 23);
    expect(rows.filter(({ right }) => !right)).toEqual([]);
    expect(new Set(rows.map(({ arm, key }) => `${arm} ${key}`)).size).toBe(46);
    expect(support).toEqual([{ what: 'tools', support: 'works', detail: '' }]);
    expect(spent).toMatchObject({ requests: 47, tokens: 46 * 120 });
    expect(asks.most).toBe(4);
  });

  it('is canceled while it runs; results so far stay', async () => {
    const probe = await started();
    const asks = model(probe, () => new Promise((done) => setTimeout(() => done({}), 400)));
    const runner = await working(make, asks);
    await runner.add(job, { id: probe.id }, { id: probe.id });
    const running = await until(probe.id, ({ rows }) => rows.length > 0);
    await cancelProbe(prisma, { actor: 'user_1' }, running);
    await until(probe.id, ({ state }) => state === 'cancelled');
    await new Promise((done) => setTimeout(done, 1_500));
    const after = asks.requested.length;
    await new Promise((done) => setTimeout(done, 500));
    expect(asks.requested.length).toBe(after);
    expect(after).toBeLessThan(46);
    expect((await findProbe(prisma, probe.id))?.rows.length).toBeGreaterThan(0);
  });

  it('is taken over by the next process when its own stops, which asks only the open questions', async () => {
    const probe = await started();
    const slow = model(probe, () => new Promise((done) => setTimeout(() => done({}), 100)));
    const first = await working(make, slow);
    await first.add(job, { id: probe.id }, { id: probe.id });
    await until(probe.id, ({ rows }) => rows.length > 0);
    await first.stop();
    const left = await until(probe.id, ({ state }) => state === 'waiting');
    expect(left.rows.length).toBeGreaterThan(0);
    await prisma.$executeRaw`UPDATE probe SET beat_at = now() - interval '1 minute'`;
    expect(await openProbes(prisma)).toEqual([probe.id]);
    const asks = model(probe);
    const second = await working(make, asks);
    await second.add(job, { id: probe.id });
    const { rows, state } = await until(probe.id, over);
    expect(state).toBe('done');
    expect(asks.requested.length).toBe(46 - left.rows.length);
    expect(new Set(rows.map(({ arm, key }) => `${arm} ${key}`)).size).toBe(46);
    expect(rows).toHaveLength(46);
  });
});

describe('a probe', () => {
  const run = async (probe: Probe, asks: ProbeClient) => {
    await new ProbeHandler(prisma, asks).run({ id: probe.id }, { signal: new AbortController().signal });
    return (await findProbe(prisma, probe.id)) as Probe;
  };

  it('ends an arm after five requests in a row without a response, and counts the rest of it as wrong', async () => {
    const probe = await started();
    const asks = model(probe, (arm) => (arm === 'native' ? { refusal, calls: [], text: '' } : undefined));
    const { state, rows } = await run(probe, asks);
    expect(state).toBe('done');
    const native = rows.filter(({ arm }) => arm === 0);
    expect(native).toHaveLength(23);
    expect(native.every(({ right, refused }) => !right && refused)).toBe(true);
    // Those that were running beside the fifth had been sent already.
    const nativeCount = asks.requested.filter((arm) => arm === 'native').length;
    expect(nativeCount).toBeGreaterThanOrEqual(5);
    expect(nativeCount).toBeLessThanOrEqual(8);
  });

  it('sends the saved cases of its model, those that existed when it started, once in each arm', async () => {
    const save = async (title: string) => {
      const request = { messages: [{ role: 'user', content: title }] };
      const saved = await saveCase(
        prisma,
        { actor: 'user_1' },
        { modelId, title, request, expects: { kind: 'tools', names: ['read'] } },
      );
      return saved?.id ?? '';
    };
    const ids = [await save('first'), await save('second'), await save('third')];
    const probe = await started({}, 'full');
    expect(probe.savedCaseIds).toEqual(ids);
    await save('too late');
    await deleteCase(prisma, { actor: 'user_1' }, ids[1] ?? '');
    const savedCases = await savedCasesOf(prisma, probe);
    expect(savedCases.map((one) => one?.title)).toEqual(['first', undefined, 'third']);
    const { rows } = await run(probe, model({ ...probe, savedCases }));
    const ofSaved = rows.filter(({ case: number }) => number > 20).map(({ arm, key }) => `${arm} ${key}`);
    expect(ofSaved.sort()).toEqual([0, 1].flatMap((arm) => [`${arm} ${ids[0]}`, `${arm} ${ids[2]}`]).sort());
    expect(rows.every(({ right }) => right)).toBe(true);
    expect(rows).toHaveLength(234);
  });

  it('has failed if no arm got a response, with the upstream’s error', async () => {
    const probe = await started();
    const { state, problem } = await run(
      probe,
      model(probe, () => ({ refusal, calls: [], text: '' })),
    );
    expect({ state, problem }).toEqual({
      state: 'failed',
      problem: `The upstream did not answer any request. ${refusal}`,
    });
  });

  it.each([
    [{ requests: 20 }, 'It ended early: its budget of 20 requests was used up.'],
    [{ tokens: 1_000 }, 'It ended early: its budget of 1000 tokens was used up.'],
    [{ minutes: 0 }, 'It ended early: its 0 minutes were over.'],
  ])('ends early with a budget of %o, and says so', async (budget, expectedProblem) => {
    const probe = await started(budget);
    const { state, problem, rows } = await run(probe, model(probe));
    expect({ state, problem }).toEqual({ state: 'done', problem: expectedProblem });
    expect(rows.length).toBeLessThan(30);
  });

  describe('of full size that is inconclusive', () => {
    /** Native answers one question of this many wrongly. */
    const wrongOnceIn = (many: number) => {
      let n = 0;
      return (arm: string) => (arm === 'native' && n++ % many === 0 ? { calls: [], text: 'no' } : undefined);
    };
    const three = [...arms, { strategy: 'prompt', dialect: 'qwen3-coder-xml' }] as const;

    it('asks as much again about what may be better and what is in effect, and nothing else', async () => {
      const probe = await started({}, 'full', three);
      const asks = model(probe, wrongOnceIn(23));
      const failing = asks.ask;
      // The third arm is worse than the one in effect.
      asks.ask = async (place, arm, request, signal) => ({
        ...(await failing(place, arm, request, signal)),
        ...(arm.dialect === 'qwen3-coder-xml' && { calls: [], text: '' }),
      });
      const { state, problem, rows } = await run(probe, asks);
      expect({ state, problem }).toEqual({ state: 'done', problem: null });
      expect([0, 1, 2].map((arm) => rows.filter((row) => row.arm === arm).length)).toEqual([230, 230, 115]);
      expect(new Set(rows.map(({ arm, key }) => `${arm} ${key}`)).size).toBe(575);
    });

    it('asks nothing more if it is conclusive, if nothing is better, or beyond its budget', async () => {
      const clear = await started({}, 'full');
      expect((await run(clear, model(clear, wrongOnceIn(5)))).rows).toHaveLength(230);
      const equal = await started({}, 'full');
      expect((await run(equal, model(equal))).rows).toHaveLength(230);
      const poor = await started({ requests: 300 }, 'full');
      const { rows, problem } = await run(poor, model(poor, wrongOnceIn(23)));
      expect(problem).toBeNull();
      expect(rows.length).toBeGreaterThan(230);
      expect(rows.length).toBeLessThanOrEqual(304);
    });

    it('continues within its further questions where another process left it', async () => {
      const probe = await started({}, 'full');
      const whole = await run(probe, model(probe, wrongOnceIn(23)));
      const left = whole.rows.slice(0, 300);
      await prisma.$executeRaw`
        UPDATE probe SET state = 'waiting', rows = ${JSON.stringify(left)}::jsonb, takes = 1 WHERE id = ${probe.id}`;
      const asks = model(probe);
      const { rows } = await run(probe, asks);
      expect(asks.requested).toHaveLength(160);
      expect(new Set(rows.map(({ arm, key }) => `${arm} ${key}`)).size).toBe(460);
    });
  });

  describe('of a prompt with example calls and without', () => {
    const both = [false, true].map((examples) => ({ strategy: 'prompt', dialect: 'hermes', examples }) as const);
    const place = () => ({ modelId, upstreamId: 'up_1' });
    const learned = async () =>
      (await prisma.learned.findMany({ where: place(), orderBy: { what: 'asc' } })).map(({ what, value, reason }) => ({
        what,
        value,
        reason,
      }));
    beforeEach(async () => {
      await prisma.upstream.deleteMany();
      await prisma.upstream.create({
        data: { id: 'up_1', name: 'gpu', baseUrl: 'http://127.0.0.1:1/v1', engineVersion: '1' },
      });
    });

    it('learns that they help if the model does better with them, and forgets it once they do not', async () => {
      const probe = await started({}, 'full', both);
      let n = 0;
      const halfWrong = (_arm: string, _request: JsonObject, examples: boolean) =>
        !examples && n++ % 2 === 0 ? { calls: [], text: 'no' } : undefined;
      await run(probe, model(probe, halfWrong));
      const [lesson, ...others] = await learned();
      expect(others).toEqual([]);
      expect(lesson).toMatchObject({ what: 'example-calls', value: 'true' });
      expect(lesson?.reason).toMatch(
        /^Probe: with example calls 100 % right \(100 % by itself\) of \d+, without \d\d % right/,
      );

      const quick = await started();
      await run(quick, model(quick));
      expect(await learned(), 'a quick probe does not compare them').toEqual([lesson]);

      const again = await started({}, 'full', both);
      await run(again, model(again));
      expect(await learned()).toEqual([]);
    });

    it('learns nothing if its budget ended it early', async () => {
      const probe = await started({ requests: 60 }, 'full', both);
      await run(
        probe,
        model(probe, (_arm, _request, examples) => (examples ? undefined : { calls: [], text: 'no' })),
      );
      expect(await learned()).toEqual([]);
    });
  });

  it('fails if the model is gone', async () => {
    const probe = await started();
    const asks = model(probe);
    asks.support = async () => {
      throw new Fault('model_not_found', 'The model is no longer available on this upstream.');
    };
    expect(await run(probe, asks)).toMatchObject({
      state: 'failed',
      problem: 'The model is no longer available on this upstream.',
    });
  });

  it('is taken up by one process only, after silence by another, and after five times by none', async () => {
    const probe = await started();
    const first = model(probe, () => new Promise((done) => setTimeout(() => done({}), 30)));
    const running = run(probe, first);
    await until(probe.id, ({ state }) => state === 'running');
    const second = model(probe);
    await run(probe, second);
    expect(second.requested).toEqual([]);
    await running;
    const next = await started();
    await prisma.$executeRaw`
      UPDATE probe SET state = 'running', takes = 4, beat_at = now() - interval '1 minute' WHERE id = ${next.id}`;
    expect(await openProbes(prisma)).toEqual([next.id]);
    expect((await run(next, model(next))).state).toBe('done');
    const last = await started();
    await prisma.$executeRaw`UPDATE probe SET takes = 5 WHERE id = ${last.id}`;
    expect(await run(last, model(last))).toMatchObject({ state: 'failed', problem: 'It was interrupted too often.' });
  });

  it('is limited to one per model, two in all', async () => {
    await started();
    await expect(started()).rejects.toThrow('model');
    for (const name of ['other', 'third']) {
      modelId = newId('model');
      await prisma.model.create({ data: { id: modelId, name } });
      if (name === 'other') await started();
      else await expect(started()).rejects.toThrow('others');
    }
  });
});

describe('the supervision of probes', () => {
  /** Runs one check, and returns the probes that it requested. */
  async function looked(models: readonly object[]): Promise<string[]> {
    const added: string[] = [];
    const runner = new InlineRunner();
    runner.add = async (_, payload) => void added.push((payload as { id: string }).id);
    const snapshot = { models: () => models } as unknown as ConfigSnapshot;
    const asks = { arms: () => ({ arms, inEffect: 0 }) } as unknown as ProbeClient;
    await new WatchProbesHandler(prisma, snapshot, asks, runner).run();
    return added;
  }
  const entry = (engineVersion: string, probeSchedule?: object) => ({
    id: modelId,
    probeSchedule,
    routes: [{ upstream: { id: 'up_1', engineVersion } }],
  });

  it('hands over what a process left or fell silent on, and nothing that is running', async () => {
    const { id } = await started();
    expect(await looked([])).toEqual([]);
    await prisma.$executeRaw`UPDATE probe SET beat_at = now() - interval '1 minute'`;
    expect(await looked([])).toEqual([id]);
    await prisma.$executeRaw`UPDATE probe SET state = 'running', beat_at = now()`;
    expect(await looked([])).toEqual([]);
    await prisma.$executeRaw`UPDATE probe SET state = 'cancelled'`;
    expect(await looked([entry('1')])).toEqual([]);
  });

  it('starts a quick probe when another version of the engine runs, once', async () => {
    const before = await started({}, 'full');
    await prisma.$executeRaw`UPDATE probe SET state = 'done'`;
    const [id, ...more] = await looked([entry('2')]);
    expect(more).toEqual([]);
    expect(await findProbe(prisma, id ?? '')).toMatchObject({
      cause: 'engine-version',
      size: 'quick',
      engineVersion: '2',
      modelId: before.modelId,
    });
    await prisma.$executeRaw`UPDATE probe SET state = 'cancelled'`;
    expect(await looked([entry('2')])).toEqual([]);
  });

  it('starts scheduled ones', async () => {
    const daily = { value: 'daily', source: 'declared' };
    const [id] = await looked([entry('1', daily)]);
    expect(await findProbe(prisma, id ?? '')).toMatchObject({ cause: 'schedule', size: 'quick', state: 'waiting' });
    expect(await looked([entry('1', daily)])).toEqual([]);
  });
});
