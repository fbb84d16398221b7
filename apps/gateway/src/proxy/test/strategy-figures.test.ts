// What `auto` comes to over models with known weaknesses, against every fixed strategy. `npm run strategies` runs it at full
// size and writes the figures into docs/strategies.md; here it is small.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  type ArmRow,
  decide,
  formName,
  judge,
  type ProbeQuestion,
  probeQuestions,
  probeRequests,
  type StrategyForm,
  wilson,
} from '@callsmith/evaluate';
import { type RecordedRequest, type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProbeRequests } from '../replay/probe-requests.ts';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';

/** Requests of the mixed run, for each strategy over all models; 0: the small run, which writes nothing. */
const full = Number(process.env.STRATEGY_FIGURES ?? 0);
const all = [
  'nothing',
  'refuses-tools',
  'ignores-tools',
  'leaks',
  'parser',
  'strict',
  'announces',
  'thinks',
  'json',
  'context',
  'empty',
  'arguments',
  'unreadable',
  'constraint',
  'heeds-constraint',
];
const names = (full > 0 ? all : ['nothing', 'ignores-tools', 'json', 'heeds-constraint']).map((name) => `weak-${name}`);
/** Requests of the mixed run to each model: whole rounds of a probe's questions, with nonces of their own. */
const rounds = Math.max(2, Math.ceil(full / names.length / 23));
/** What is drawn differs by seed; one alone may be a lucky one. */
const seeds = full > 0 ? ['third', 'second', 'figures'] : ['figures'];
const forms: readonly StrategyForm[] = [
  { strategy: 'native', dialect: null },
  { strategy: 'strict', dialect: null },
  { strategy: 'prompt', dialect: 'hermes' },
  { strategy: 'prompt', dialect: 'qwen3-coder-xml' },
];

/** Milliseconds until the slow model begins an answer, and that a tool takes. */
const slow = 150;

let simulator: Simulator;
let proxy: TestProxy;
async function start(seed: string): Promise<void> {
  simulator = await startSimulator({
    models: [...names, { id: 'slow', as: `sim-native@first=${slow}` }],
    seed,
    keep: 20_000,
  });
  proxy = await startProxy(
    [...names, 'slow'].map((name) => ({ name, strategy: 'auto', dialect: 'auto', baseUrls: [`${simulator.url}/v1`] })),
  );
}
async function stop(): Promise<void> {
  await proxy.close();
  await simulator.close();
}
beforeAll(() => start('figures'));
afterAll(stop);

/**
 * Asks a model a question in a form; `auto`: as `auto` asks where nothing was chosen. A question has the same luck in
 * every run: the simulator draws by how often it was asked by the same credential, and each run has its own. So
 * strategies that do the same have the same figures, but for what is drawn anew when one of them asks again.
 */
async function ask(
  name: string,
  { form, run }: { form: StrategyForm | 'auto'; run: string },
  { key, case: number, request, expects }: ProbeQuestion,
): Promise<ArmRow> {
  const requests = new ProbeRequests(proxy.proxy, snapshotFor(run));
  const model = { modelId: `model_${name}`, upstreamId: `up_${new URL(simulator.url).port}` };
  const arm = form === 'auto' ? { strategy: 'auto' as 'native', dialect: null } : form;
  const answer = await requests.ask(model, arm, request, new AbortController().signal);
  return {
    ...answer,
    ...{ key, case: number, wanted: expects.kind !== 'text', calls: answer.calls.length },
    right: answer.refusal === null && judge(answer, expects).right,
    valid: answer.calls.every(({ valid }) => valid),
    refused: answer.refusal !== null,
  };
}

/** The configuration with a credential of its own for every upstream. */
const snapshotFor = (credential: string): TestProxy['snapshot'] =>
  Object.create(proxy.snapshot, {
    models: {
      value: () =>
        proxy.snapshot.models().map((model) => ({
          ...model,
          routes: model.routes.map((route) => ({ ...route, upstream: { ...route.upstream, credential } })),
        })),
    },
  }) as TestProxy['snapshot'];

/** The mixed run of a model in one form: whether each of its questions was answered right. */
async function mixed(name: string, form: StrategyForm | 'auto', run: string): Promise<Map<string, boolean>> {
  const answers = new Map<string, boolean>();
  for (let round = 0; round < rounds; round++)
    for (const question of probeQuestions(`mixed|${name}|${round}`, 'quick'))
      answers.set(`${name}|${round}|${question.key}`, (await ask(name, { form, run }, question)).right);
  return answers;
}

/** What `auto` chose by a full probe, which asks on where it cannot tell; `auto`: it stays with what it does by itself. */
async function chosenFor(name: string): Promise<StrategyForm | 'auto'> {
  const arms = forms.map((form) => ({ ...form, name: formName(form), rows: [] as ArmRow[] }));
  const openRequests = (): ReturnType<typeof probeRequests> =>
    probeRequests({ seed: `probe|${name}`, size: 'full', arms, inEffect: 0 });
  let done = 0;
  for (let open = openRequests(); open.length > done; done = open.length, open = openRequests())
    for (const [question, at] of open.slice(done)) {
      const arm = arms[at] as (typeof arms)[number];
      arm.rows.push(await ask(name, { form: arm, run: arm.name }, question));
    }
  const native = { strategy: 'native', dialect: null } as const;
  const probe = { arms, size: 'full', isNew: true, hoursAgo: 0 } as const;
  const decision = decide({ now: native, calls: [], probe, budget: 0.02, moves: 0, usedUp: false, declared: false });
  return decision.does === 'move' ? decision.to : 'auto';
}

type Answers = ReadonlyMap<string, boolean>;
const share = (answers: Answers): number => [...answers.values()].filter(Boolean).length / answers.size;
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

/**
 * By how much `auto` is right more often, over the same questions, with the 95 % interval: of those that only one of the
 * two answered right, Wilson's for the share that is `auto`'s.
 */
function paired(auto: Answers, fixed: Answers) {
  const won = [...auto].filter(([question, right]) => right && fixed.get(question) === false).length;
  const lost = [...auto].filter(([question, right]) => !right && fixed.get(question) === true).length;
  const of = (wins: number): number => ((2 * wins - 1) * (won + lost)) / auto.size;
  const { low, high } = wilson(won, won + lost) ?? { low: 0.5, high: 0.5 };
  return { won, lost, value: (won - lost) / auto.size, low: of(low), high: of(high) };
}

const points = (value: number): string => (value * 100).toFixed(1);
const table: string[] = [];
const comparison: string[] = [];
const tableRow = (name: string, runs: readonly Answers[], does: string): void =>
  void table.push(`| ${name} | ${runs.map((run) => percent(share(run))).join(' | ')} | ${does} |`);

/** A column for each fixed strategy and, last, for `auto`. */
const columns = (): Map<string, boolean>[] => [...forms, 'auto'].map(() => new Map());
/** Adds the answers of a run, each under the seed that it was drawn with. */
function add(to: readonly Map<string, boolean>[], seed: string, runs: readonly Answers[]): void {
  for (const [at, run] of runs.entries())
    for (const [question, right] of run) to[at]?.set(`${seed}|${question}`, right);
}

it('auto is within 2 points of the best fixed strategy for each model, and better than any of them overall', {
  timeout: full > 0 ? 3_600_000 : 120_000,
}, async () => {
  const byModel = new Map(names.map((name) => [name, { runs: columns(), does: [] as string[] }]));
  const bySeed = new Map(seeds.map((seed) => [seed, columns()]));
  const overAll = columns();
  for (const seed of seeds) {
    await stop();
    await start(seed);
    for (const [name, { runs, does }] of byModel) {
      const chosen = await chosenFor(name);
      does.push(chosen === 'auto' ? 'stays' : formName(chosen));
      const found: Answers[] = [];
      for (const form of forms) found.push(await mixed(name, form, formName(form)));
      found.push(await mixed(name, chosen, 'auto'));
      for (const sums of [runs, bySeed.get(seed) ?? [], overAll]) add(sums, seed, found);
    }
  }
  const autoOf = (runs: readonly Answers[]): Answers => runs.at(-1) as Answers;
  for (const [name, { runs, does }] of byModel) {
    tableRow(name, runs, [...new Set(does)].join('; '));
    for (const fixed of runs.slice(0, -1))
      expect.soft(paired(autoOf(runs), fixed).value, `${name}: ${does}`).toBeGreaterThanOrEqual(-0.02);
  }
  for (const [seed, runs] of bySeed) tableRow(`all, seed \`${seed}\``, runs, '');
  tableRow('**all**', overAll, '');
  for (const [at, fixed] of overAll.slice(0, -1).entries()) {
    const { won, lost, value, low, high } = paired(autoOf(overAll), fixed);
    const name = formName(forms[at] as StrategyForm);
    comparison.push(`| ${name} | ${won} | ${lost} | ${points(value)} | ${points(low)} to ${points(high)} |`);
    if (full > 0) expect.soft(low, name).toBeGreaterThan(0);
    else expect(value, name).toBeGreaterThanOrEqual(0);
  }
});

/** A test of the full run alone; the small one does not know it, as it has nothing to skip. */
const atFullSize: typeof it | (() => void) = full > 0 ? it : () => {};

const isAgain = ({ body }: RecordedRequest): boolean =>
  /containing exactly one line.*Write the call again, complete\./s.test(JSON.stringify(body));

atFullSize(
  'D-35 a correction recovers within 3 points of what the model corrects when asked',
  { timeout: 600_000 },
  async () => {
    const parameters = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } };
    const tools = [
      {
        type: 'function',
        function: { name: 'write_file', parameters: { ...parameters, required: ['path', 'content'] } },
      },
    ];
    const lines: string[] = [];
    for (const model of ['weak-arguments', 'weak-unreadable']) {
      for (let n = 0; n < full / 2; n++) {
        const content = `Create n${n}.txt containing exactly one line: LINE-${n}`;
        const body = { model, stream: n % 2 === 0, messages: [{ role: 'user', content }], tools };
        await (await postJson(proxy, '/v1/chat/completions', body)).text();
      }
      const turns = proxy.recorder.turns.filter((turn) => turn.model === model);
      const again = simulator.requests.filter((one) => one.model === model && isAgain(one)).length;
      const recovered = turns.filter(({ corrected }) => corrected === true).length;
      lines.push(`| ${model} | ${again} | ${recovered} | ${percent(recovered / again)} |`);
      expect(Math.abs(recovered / again - 0.74)).toBeLessThanOrEqual(0.03);
    }
    write('corrections', `| model | asked again | recovered | share |\n|---|---|---|---|\n${lines.join('\n')}`);
  },
);

atFullSize('the figures stand in the docs', () => {
  const head = ['model', ...forms.map(formName), 'auto', 'auto by its probe'];
  write('mixed', `| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n${table.join('\n')}`);
  const against =
    '| against | only `auto` right | only it right | points ahead | 95 % interval |\n|---|---|---|---|---|';
  write('paired', `${against}\n${comparison.join('\n')}`);
});

interface Completion {
  readonly choices: readonly { readonly message: { readonly tool_calls?: readonly { readonly id: string }[] } }[];
}

/** Milliseconds and turns of a task with three independent tools, whose calls of one turn run at once. */
async function work(parallel: boolean): Promise<{ readonly ms: number; readonly turns: number }> {
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const tools = [{ type: 'function', function: { name: 'read_file', description: 'Reads a file', parameters } }];
  const messages: object[] = [{ role: 'user', content: 'Read a.txt, b.txt and c.txt at the same time.' }];
  const began = performance.now();
  for (let turns = 1; turns < 10; turns++) {
    const body = { model: 'slow', messages, tools, parallel_tool_calls: parallel };
    const completion = (await (await postJson(proxy, '/v1/chat/completions', body)).json()) as Completion;
    const { message } = completion.choices[0] ?? { message: {} };
    const { tool_calls: calls = [] } = message;
    if (calls.length === 0) return { ms: performance.now() - began, turns };
    await new Promise((done) => setTimeout(done, slow));
    messages.push(message, ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'text' })));
  }
  throw new Error('the task did not end');
}

it('SC-005 three independent tools in parallel take at least 40 % less time than one after the other', async () => {
  // The first request of a process takes longer.
  await work(true);
  const [together, apart] = [await work(true), await work(false)];
  expect([together.turns, apart.turns]).toEqual([2, 4]);
  const less = 1 - together.ms / apart.ms;
  expect(less).toBeGreaterThanOrEqual(0.4);
  const rows = [
    ['at once', together],
    ['one after the other', apart],
  ] as const;
  const lines = rows.map(([name, { ms, turns }]) => `| ${name} | ${turns} | ${Math.round(ms)} ms |`);
  if (full > 0)
    write(
      'parallel',
      `| three tools | turns | time |\n|---|---|---|\n${lines.join('\n')}\n\nThat is ${percent(less)} less.`,
    );
});

/** Puts text between the marks of a part of docs/strategies.md. */
function write(part: string, text: string): void {
  const file = new URL('../../../../../docs/strategies.md', import.meta.url);
  const page = readFileSync(file, 'utf8');
  const marks = new RegExp(`(<!-- ${part} -->\n)[\\s\\S]*?(<!-- /${part} -->)`);
  writeFileSync(
    file,
    page.replace(marks, (_, begin: string, end: string) => `${begin}${text}\n${end}`),
  );
}
