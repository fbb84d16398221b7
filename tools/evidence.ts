// `npm run evidence -- FOLDER`: evaluates public recordings and writes docs/evidence.md; with --check it compares
// instead and exits with 1 if a result differs. FOLDER contains clones or bare clones of the repositories below, each
// as OWNER+NAME or OWNER+NAME/repo. Only counts of their content are written.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bfclClasses, type Recording, readBfcl } from '@callsmith/evaluate';
import { isObject, type JsonObject, parseJson } from '@callsmith/turn';
import { csvRows } from '../apps/gateway/src/command/evaluate/csv.ts';
import { evaluate } from '../apps/gateway/src/command/evaluate/evaluate.ts';
import { figuresTable } from '../apps/gateway/src/command/evaluate/table.ts';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('usage: npm run evidence -- FOLDER [--check]\n');
  process.exit(2);
}
const page = new URL('../docs/evidence.md', import.meta.url);

const vllm = source('bbrowning/bfcl-vllm-results');
const cases = source('ShishirPatil/gorilla');
const study = source('joerosh/BFCL-hardware-efficiency-study');
const notebook = source('aldehir/gpt-oss-tool-calling-notebook');
const local = source('lintware/tool-calling-benchmark');

/** The tool of the notebook's trials. */
const weather: JsonObject = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/**
 * The prompts of the benchmark of local models by their index: those that one of the tools answers, and those that none
 * does. The others are debatable.
 */
const [answered, unanswered] = [new Set([0, 1, 2, 3, 5, 6, 7]), new Set([4, 8])];

const parts: string[] = [];
for (const run of ['2025-11-12-main', '2025-11-12-harmony-fixes']) {
  const files = vllm.list(`results/${run}/result/openai_gpt-oss-20b`);
  await add(`gpt-oss-20b through vLLM, run ${run}`, 'gpt-oss-20b', [vllm, cases], files.flatMap(vllmRecordings));
}
for (const name of ['T4', 'L4_Llama', 'Groq_LPU_Llama', 'Cerebras_WSE']) {
  const rows = csvRows(study.show(`results/processed/${name}_scored.csv`));
  const model = rows[0]?.model ?? '';
  await add(`${model}, texts, run ${name}`, model, [study], studyRecordings(rows));
}
await add(
  'gpt-oss-20b through llama.cpp, raw texts',
  'gpt-oss-20b',
  [notebook],
  notebookRecordings(),
  'The texts are whole turns in harmony, including markers and reasoning. A client gets the last message, so no text is unchanged.',
);
await addLocalModels();

const today = new Date().toISOString().slice(0, 10);
const text = `# Evidence from public recordings

${today} · Node ${process.versions.node} · \`npm run evidence -- FOLDER\`

Replies of real models that others have recorded, processed as if an upstream had sent them: what a client gets directly, and through Callsmith. [evaluate.md](evaluate.md) explains the evaluation. The repositories have no license file, so only counts are published here. Of conversations with several turns the form of each call is evaluated, not whether the task was completed. Shares have 95 % intervals (Wilson). If the model chose a wrong value or made no call, parsing cannot help: both columns count that as it is. "Directly" means a client that reads \`tool_calls\`: for it a call written as text is no call, even if the original recording used its own parser for that text.

${parts.join('\n')}`;
if (values.check) compare(readFileSync(page, 'utf8'), text);
else writeFileSync(page, text);

/** Prints the lines that differ, dates and versions aside. */
function compare(written: string, now: string): void {
  const figures = (whole: string): string[] => whole.split('\n').filter((line) => /^(\||##|`|\S+\/\S+ at )/.test(line));
  const [before, after] = [figures(written), figures(now)];
  const differ = after.flatMap((line, at) => (line === before[at] ? [] : [`- ${before[at] ?? ''}\n+ ${line}\n`]));
  process.stdout.write(differ.join('') || `All ${after.length} lines of results are unchanged.\n`);
  process.exitCode = differ.length > 0 || before.length !== after.length ? 1 : 0;
}

async function add(
  title: string,
  model: string,
  sources: Source[],
  recordings: Recording[],
  about = '',
): Promise<void> {
  process.stderr.write(`${title}\n`);
  write(
    title,
    sources,
    await evaluate(recordings, { model, progress: (text) => void process.stderr.write(text) }),
    about,
  );
}

function write(title: string, sources: Source[], rows: Awaited<ReturnType<typeof evaluate>>, about = ''): void {
  const from = sources.map(({ name, commit, date }) => `${name} at ${commit} (${date})`).join(', cases of ');
  parts.push(`## ${title}\n\n${from}.${about && ` ${about}`}\n\n${figuresTable(rows)}`);
}

function vllmRecordings(path: string): readonly Recording[] {
  const data = 'berkeley-function-call-leaderboard/bfcl_eval/data';
  const text = (name: string): string | undefined =>
    cases.has(`${data}/${name}`) ? cases.show(`${data}/${name}`) : undefined;
  return readBfcl(
    vllm.show(path),
    (category) => {
      const name = `BFCL_v4_${category}.json`;
      const found = text(name);
      const answers = text(`possible_answer/${name}`);
      return found === undefined ? undefined : { cases: found, ...(answers !== undefined && { answers }) };
    },
    (name) => text(`multi_turn_func_doc/${bfclClasses[name]}.json`),
  ).recordings;
}

/** Its rows have the model's whole text; its cases are BFCL's, stored beside them. */
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

/**
 * Its trials hold, turn by turn, the prompt and behind it what the model wrote, in harmony's form, a blank line between
 * two messages. What harmony says of the last message is what is right: a call, or none.
 */
function notebookRecordings(): Recording[] {
  const trials = notebook.list('experiments').filter((path) => /\/trial-\d+\.md$/.test(path));
  return trials.flatMap((path) => {
    const turns = notebook
      .show(path)
      .split(/^### Turn \d+$/m)
      .slice(1);
    return turns.flatMap((turn, at): Recording[] => {
      const text = /```\n([\s\S]*?)\n```/.exec(turn)?.[1] ?? '';
      // The prompt ends with the text of a user or a tool.
      const lastInputAt = Math.max(text.lastIndexOf('<|start|>user'), text.lastIndexOf('<|start|>functions.'));
      const reply = /<\|end\|>\s*<\|start\|>assistant([\s\S]*)$/
        .exec(text.slice(lastInputAt))?.[1]
        ?.replaceAll('\n\n<|start|>', '<|start|>');
      if (lastInputAt < 0 || reply === undefined) return [];
      const call = /to=functions\.(\w+)(?:(?!to=|<\|message\|>)[\s\S])*<\|message\|>(\{[^<]*\})<\|call\|>$/.exec(reply);
      const args = call && parseJson(call[2] as string);
      const accepted = isObject(args)
        ? Object.fromEntries(Object.entries(args).map(([key, value]) => [key, [value ?? null]]))
        : {};
      return [
        {
          id: `${path.slice('experiments/'.length, -'.md'.length)}/${at + 1}`,
          group: 'turns',
          tools: [weather],
          messages: [{ role: 'user', content: 'Get the weather for some cities and tabulate the results.' }],
          reply: { text: reply, reasoning: '', calls: [] },
          cut: false,
          expects: call
            ? { kind: 'calls', rules: 'exact', calls: [{ name: call[1] as string, arguments: accepted }] }
            : { kind: 'none' },
        },
      ];
    });
  });
}

/** Small models of many families, some with calls that the server parsed, some with only their text. */
async function addLocalModels(): Promise<void> {
  // Python's literal is JSON except for trailing commas.
  const literal = /^TOOLS = (\[[\s\S]*?^\])/m.exec(local.show('lib/bench_config.py'))?.[1] ?? '[]';
  const tools = parseJson(literal.replace(/,(?=\s*[\]}])/g, ''));
  if (!Array.isArray(tools) || tools.length === 0) throw new Error('lib/bench_config.py has no list of tools any more');
  const rows: { read: Awaited<ReturnType<typeof evaluate>>; texts: boolean }[] = [];
  for (const path of local.list('runs/default').filter((name) => name.endsWith('.json'))) {
    const run = parseJson(local.show(path));
    if (!isObject(run) || !isObject(run.model_info) || !Array.isArray(run.runs)) continue;
    const model = String(run.model_name);
    process.stderr.write(`${model}\n`);
    const texts = run.model_info.backend !== 'ollama';
    const recordings = run.runs.flatMap((answers, round): Recording[] =>
      (Array.isArray(answers) ? answers.filter(isObject) : []).flatMap((answer, prompt) => {
        const calls = texts || !Array.isArray(answer.all_tool_calls) ? [] : answer.all_tool_calls.filter(isObject);
        const text = typeof answer.raw_content === 'string' ? answer.raw_content : '';
        if (text === '' && calls.length === 0) return [];
        return [
          {
            id: `${model}/${round}/${prompt}`,
            group: model,
            tools: tools.filter(isObject),
            messages: [{ role: 'user', content: `Prompt ${prompt + 1}` }],
            reply: {
              text,
              reasoning: '',
              calls: calls.map(({ name, arguments: args }) => ({
                name: String(name),
                arguments: JSON.stringify(args),
              })),
            },
            cut: false,
            ...(answered.has(prompt) && { expects: { kind: 'some' } as const }),
            ...(unanswered.has(prompt) && { expects: { kind: 'none' } as const }),
          },
        ];
      }),
    );
    rows.push({ texts, read: await evaluate(recordings, { model, progress: () => {} }) });
  }
  for (const texts of [true, false]) {
    const found = rows.filter((one) => one.texts === texts);
    write(
      `${found.length} small models on a laptop, ${texts ? 'texts' : 'calls as Ollama parsed them'}`,
      [local],
      found.flatMap(({ read }) => read),
      texts
        ? 'If a call is expected, these models often describe in prose which call could be made; that is no call.'
        : '',
    );
  }
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
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });
  const [commit = '', date = ''] = git('log', '-1', '--format=%h %cs').trim().split(' ');
  // A snapshot may list files that it does not contain.
  const has = (path: string): boolean => {
    try {
      git('cat-file', '-e', `HEAD:${path}`);
      return true;
    } catch {
      return false;
    }
  };
  const list = (under: string): string[] =>
    git('ls-tree', '-r', '--name-only', 'HEAD', '--', `${under}/`).split('\n').filter(Boolean).filter(has);
  return { name, commit, date, list, has, show: (path) => git('show', `HEAD:${path}`) };
}
