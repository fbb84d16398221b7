import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, documentCode } from '@callsmith/testing';
import { describe, expect, it } from 'vitest';
import { runCommand } from './program.ts';

const root = join(import.meta.dirname, '../../../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What is wrong with the commands in a part of a document; `[]`: nothing. */
async function problemsOf(code: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [, script = ''] of code.matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)/g))
    if (scripts[script] === undefined) problems.push(`npm run ${script} does not exist`);
  for (const [path] of code.matchAll(/(?<![\w/.])\.ci\/\w+/g))
    if (!existsSync(join(root, path))) problems.push(`${path} does not exist`);
  for (const [, commandLine = ''] of code.matchAll(
    /(?:(?:^|[\s(])callsmith|npm run (?:-s |--silent )?callsmith --) ([^\n;|&)>]*)/g,
  ))
    problems.push(...(await commandProblems(commandLine)));
  return problems;
}

/** As `problemsOf`, for the words after `callsmith`. */
async function commandProblems(commandLine: string): Promise<string[]> {
  const words = commandLine.split(/\s+/);
  const named = words.slice(0, words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0);
  if (named[0] === 'help') return commandProblems(words.slice(1).join(' '));
  if (named.length === 0) return [];
  const options = words.flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
  for (let count = Math.min(named.length, 2); count > 0; count--) {
    const path = named.slice(0, count).join(' ');
    const help = await helpOf(named.slice(0, count));
    if (!help.startsWith(`Usage: callsmith ${path}`)) continue;
    // A group of commands does nothing by itself: the next word must be one of its commands.
    if (count < named.length && help.includes('\nCommands:\n') && path !== 'completion')
      return [`callsmith ${named.join(' ')} is no command`];
    return options.filter((option) => !help.includes(option)).map((option) => `callsmith ${path} has no ${option}`);
  }
  return [`callsmith ${named.join(' ')} is no command`];
}

const helpTexts = new Map<string, Promise<string>>();

function helpOf(words: readonly string[]): Promise<string> {
  const key = words.join(' ');
  const help = helpTexts.get(key) ?? readHelp(words);
  helpTexts.set(key, help);
  return help;
}

async function readHelp(words: readonly string[]): Promise<string> {
  let help = '';
  const out = (text: string): void => {
    help += text;
  };
  await runCommand([...words, '--help'], { root, env: {}, out, err: () => {} });
  return `${help}\n--json`;
}

describe('commands in documents', () => {
  it('exist, with the options that are named', async () => {
    const problems: string[] = [];
    let seen = 0;
    for (const { file, blocks, spans } of documentCode(root)) {
      // The changelog and the decisions mention commands of earlier versions.
      if (file === 'CHANGELOG.md' || file.startsWith('docs/decisions/')) continue;
      for (const code of [...spans, ...blocks.map(({ text }) => text)]) {
        if (/npm run |callsmith |\.ci\//.test(code)) seen++;
        problems.push(...(await problemsOf(code)).map((problem) => `${file}: ${problem}`));
      }
    }
    expect(problems).toEqual([]);
    expect(seen).toBeGreaterThan(60);
  });

  it.each([
    ['npm run nothing-of-the-kind', 'npm run nothing-of-the-kind does not exist'],
    ['.ci/nothing', '.ci/nothing does not exist'],
    ['callsmith key crete', 'callsmith key crete is no command'],
    ['callsmith nonsense --json', 'callsmith nonsense is no command'],
    ['npm run -s callsmith -- export --failurs', 'callsmith export has no --failurs'],
  ])('that are wrong are found: %s', async (code, problem) => {
    expect(await problemsOf(code)).toEqual([problem]);
  });

  it('are found in code blocks and inline, and a section’s marker applies to its blocks only', () => {
    const page = ['# A', 'Run `a \\| b`.', '```sh', 'one', '```', '## B', 'These are not run by our tests.', '```sh'];
    const { blocks, spans } = codeOf('p.md', [...page, 'two', '```', '## C', '```sh', 'three', '```'].join('\n'));
    expect(spans).toEqual(['a | b']);
    expect(blocks).toEqual([
      { at: 'p.md:3', language: 'sh', text: 'one', notRun: false },
      { at: 'p.md:8', language: 'sh', text: 'two', notRun: true },
      { at: 'p.md:12', language: 'sh', text: 'three', notRun: false },
    ]);
  });
});
