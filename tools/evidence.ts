// `npm run evidence -- FOLDER`: evaluates public recordings and writes docs/evidence.md. FOLDER holds clones or bare clones of the
// repositories below, each as OWNER+NAME or OWNER+NAME/repo. Nothing of theirs is written but counts.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Recording, readBfcl } from '@callsmith/evaluate';
import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import { csvRows } from '../apps/gateway/src/command/evaluate/csv.ts';
import { evaluate } from '../apps/gateway/src/command/evaluate/evaluate.ts';
import { table } from '../apps/gateway/src/command/evaluate/table.ts';

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: npm run evidence -- FOLDER\n');
  process.exit(2);
}

const vllm = source('bbrowning/bfcl-vllm-results');
const cases = source('ShishirPatil/gorilla');
const study = source('joerosh/BFCL-hardware-efficiency-study');

const parts: string[] = [];
for (const run of ['2025-11-12-main', '2025-11-12-harmony-fixes']) {
  const files = vllm.list(`results/${run}/result/openai_gpt-oss-20b`).filter((path) => !path.includes('/multi_turn/'));
  await add(`gpt-oss-20b through vLLM, run ${run}`, 'gpt-oss-20b', [vllm, cases], files.flatMap(vllmRecordings));
}
for (const name of ['T4', 'L4_Llama', 'Groq_LPU_Llama', 'Cerebras_WSE']) {
  const rows = csvRows(study.show(`results/processed/${name}_scored.csv`));
  const model = rows[0]?.model ?? '';
  await add(`${model}, texts, run ${name}`, model, [study], studyRecordings(rows));
}

const today = new Date().toISOString().slice(0, 10);
writeFileSync(
  new URL('../docs/evidence.md', import.meta.url),
  `# Evidence from public recordings

${today} · Node ${process.versions.node} · \`npm run evidence -- FOLDER\`

What real models said elsewhere, recorded by others, taken as if an upstream said it: what a client gets of it directly, and through Callsmith. How it is judged stands in [evaluate.md](evaluate.md). The repositories have no licence file, so nothing of them is kept here but counts. Conversations of several turns are left out. Shares have 95 % intervals (Wilson). Where the model chose a wrong value or no call, reading cannot help: both columns count that as it is. "Directly" is a client that reads \`tool_calls\`: to it a call written as text is no call, even where whoever recorded it had a parser of their own for that text.

${parts.join('\n')}`,
);

async function add(title: string, model: string, sources: Source[], recordings: Recording[]): Promise<void> {
  process.stderr.write(`${title}\n`);
  const rows = await evaluate(recordings, { model, progress: (text) => void process.stderr.write(text) });
  const from = sources.map(({ name, commit, date }) => `${name} at ${commit} (${date})`).join(', cases of ');
  parts.push(`## ${title}\n\n${from}.\n\n${table(rows)}`);
}

function vllmRecordings(path: string): readonly Recording[] {
  const data = 'berkeley-function-call-leaderboard/bfcl_eval/data';
  return readBfcl(vllm.show(path), (category) => {
    const name = `BFCL_v4_${category}.json`;
    const answers = `${data}/possible_answer/${name}`;
    if (!cases.has(`${data}/${name}`)) return undefined;
    return { cases: cases.show(`${data}/${name}`), ...(cases.has(answers) && { answers: cases.show(answers) }) };
  }).recordings;
}

/** Its rows have the model's whole text; its cases are BFCL's, kept beside them. */
function studyRecordings(rows: readonly Record<string, string>[]): Recording[] {
  const subset = parseJson(study.show('data/bfcl_subset.json'));
  const known = new Map((Array.isArray(subset) ? subset.filter(isObject) : []).map((one) => [one.task_id, one]));
  const asBfcl = (one: JsonObject): string =>
    JSON.stringify({ id: one.task_id, question: one.prompt, function: one.functions_or_tools });
  const all = [...known.values()];
  const files = {
    cases: all.map(asBfcl).join('\n'),
    answers: all.map((one) => JSON.stringify({ id: one.task_id, ground_truth: one.gold_answer })).join('\n'),
  };
  const results = rows.map(({ task_id: id, raw_output: result }) => JSON.stringify({ id, result })).join('\n');
  return [...readBfcl(results, () => files).recordings];
}

interface Source {
  readonly name: string;
  readonly commit: string;
  /** Of the commit. */
  readonly date: string;
  readonly list: (under: string) => string[];
  readonly has: (path: string) => boolean;
  readonly show: (path: string) => string;
}

function source(name: string): Source {
  const at = join(folder as string, name.replace('/', '+'));
  const cwd = existsSync(join(at, 'repo')) ? join(at, 'repo') : at;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const [commit = '', date = ''] = git('log', '-1', '--format=%h %cs').trim().split(' ');
  const list = (under: string): string[] =>
    git('ls-tree', '-r', '--name-only', 'HEAD', '--', `${under}/`).split('\n').filter(Boolean);
  const paths = new Set(git('ls-tree', '-r', '--name-only', 'HEAD').split('\n'));
  return { name, commit, date, list, has: (path) => paths.has(path), show: (path) => git('show', `HEAD:${path}`) };
}
