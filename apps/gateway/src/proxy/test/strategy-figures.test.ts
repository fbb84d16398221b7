// What `auto` comes to over models with known weaknesses, against every fixed strategy. `npm run strategies` runs it at full
// size and writes the figures into docs/strategies.md; here it is small.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  type ArmRow,
  decide,
  type Form,
  judge,
  nameOf,
  newcombe,
  type ProbeFound,
  probeQuestions,
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
const rounds = Math.max(2, Math.round(full / names.length / 23));
const forms: readonly Form[] = [
  { strategy: 'native', dialect: null },
  { strategy: 'strict', dialect: null },
  { strategy: 'prompt', dialect: 'hermes' },
  { strategy: 'prompt', dialect: 'qwen3-coder-xml' },
];

/** Milliseconds until the slow model begins an answer, and that a tool takes. */
const slow = 150;

let simulator: Simulator;
let proxy: TestProxy;
beforeAll(async () => {
  simulator = await startSimulator({
    models: [...names, { id: 'slow', as: `sim-native@first=${slow}` }],
    seed: 'figures',
    keep: 20_000,
  });
  proxy = await startProxy(
    [...names, 'slow'].map((name) => ({ name, strategy: 'auto', dialect: 'auto', baseUrls: [`${simulator.url}/v1`] })),
  );
});
afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

/** Asks a model the questions of a seed in a form; `auto`: as `auto` asks where nothing was chosen. */
async function ask(
  name: string,
  form: Form | 'auto',
  seed: string,
  size: 'quick' | 'full' = 'full',
): Promise<ArmRow[]> {
  const requests = new ProbeRequests(proxy.proxy, proxy.snapshot);
  const model = { modelId: `model_${name}`, upstreamId: `up_${new URL(simulator.url).port}` };
  const arm = form === 'auto' ? { strategy: 'auto' as 'native', dialect: null } : form;
  const rows: ArmRow[] = [];
  for (const { key, case: number, request, expects } of probeQuestions(seed, size)) {
    const answer = await requests.ask(model, arm, request, new AbortController().signal);
    rows.push({
      ...answer,
      ...{ key, case: number, wanted: expects.kind !== 'text', calls: answer.calls.length },
      right: answer.refusal === null && judge(answer, expects).right,
      valid: answer.calls.every(({ valid }) => valid),
      refused: answer.refusal !== null,
    });
  }
  return rows;
}

/** The mixed run of a model in one form: right answers and all. */
async function mixed(name: string, form: Form | 'auto') {
  const rows: ArmRow[] = [];
  for (let round = 0; round < rounds; round++) rows.push(...(await ask(name, form, `mixed|${name}|${round}`, 'quick')));
  return { right: rows.filter(({ right }) => right).length, n: rows.length };
}

/** What `auto` chose by a probe; `auto`: it stays with what it does by itself. */
async function chosenFor(name: string): Promise<Form | 'auto'> {
  const arms: ProbeFound['arms'][number][] = [];
  for (const form of forms)
    arms.push({
      ...form,
      name: nameOf(form),
      rows: await ask(name, form, `probe|${name}`),
    });
  const native = { strategy: 'native', dialect: null } as const;
  const probe = { arms, size: 'full', isNew: true, hoursAgo: 0 } as const;
  const decision = decide({ now: native, calls: [], probe, budget: 0.02, moves: 0, usedUp: false, declared: false });
  return decision.does === 'move' ? decision.to : 'auto';
}

const table: string[] = [];
/** By how much the first is right more often, at least (the interval's lower end). */
const surelyBetterBy = (one: Sum, other: Sum = { right: 0, n: 0 }): number =>
  newcombe({ k: one.right, n: one.n }, { k: other.right, n: other.n })?.low ?? 1;

interface Sum {
  readonly right: number;
  readonly n: number;
}

const share = ({ right, n }: { right: number; n: number }): number => right / n;
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

it('no fixed strategy is surely more than 2 points better than auto for any model, and none is better over the set', {
  timeout: full > 0 ? 3_600_000 : 120_000,
}, async () => {
  const sums = [...forms, 'auto' as const].map(() => ({ right: 0, n: 0 }));
  for (const name of names) {
    const chosen = await chosenFor(name);
    const found = [];
    for (const form of [...forms, chosen]) found.push(await mixed(name, form));
    const shares = found.map(share);
    const does = chosen === 'auto' ? 'stays' : nameOf(chosen);
    table.push(`| ${name} | ${shares.map(percent).join(' | ')} | ${does} |`);
    // Strategies that are equal differ by chance: what must not be is one that is surely more than 2 points better.
    for (const fixed of found.slice(0, -1))
      expect.soft(surelyBetterBy(fixed, found.at(-1)), `${name}: ${does}`).toBeLessThanOrEqual(0.02);
    for (const [at, { right, n }] of found.entries()) {
      const sum = sums[at] as { right: number; n: number };
      sum.right += right;
      sum.n += n;
    }
  }
  const shares = sums.map(share);
  table.push(`| **all** | ${shares.map(percent).join(' | ')} | |`);
  const auto = shares.at(-1) ?? 0;
  for (const fixed of shares.slice(0, -1)) expect(auto).toBeGreaterThanOrEqual(fixed);
});

/** A test of the full run alone; the small one does not know it, as it has nothing to skip. */
const atFullSize: typeof it | (() => void) = full > 0 ? it : () => {};

const isAgain = ({ body }: RecordedRequest): boolean =>
  /containing exactly one line.*Write the call again, complete\./s.test(JSON.stringify(body));

atFullSize(
  'D-35 a correction recovers within 3 points of what the model mends when told',
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
  const head = ['model', ...forms.map(nameOf), 'auto', 'auto by its probe'];
  write('mixed', `| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n${table.join('\n')}`);
});

interface Said {
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
    const said = (await (await postJson(proxy, '/v1/chat/completions', body)).json()) as Said;
    const { message } = said.choices[0] ?? { message: {} };
    const { tool_calls: calls = [] } = message;
    if (calls.length === 0) return { ms: performance.now() - began, turns };
    await new Promise((done) => setTimeout(done, slow));
    messages.push(message, ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'text' })));
  }
  throw new Error('the task did not end');
}

it('SC-005 three independent tools at once take at least 40 % less time than one after the other', async () => {
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
