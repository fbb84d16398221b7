import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bigContent } from '@callsmith/simulator';

/** The result of a run. */
export interface RunLeftovers {
  /** The workspace. */
  readonly work: string;
  /** The whole output of the client. */
  readonly printed: string;
  readonly exitCode: number | null;
}

/** One task for a client, and how its effect is checked. */
export interface Scenario {
  readonly name: string;
  /** Requirements that it tests, for docs/requirements.md. */
  readonly shows?: string;
  readonly prompt: string;
  /** Puts files into the workspace before the run. */
  prepare?(work: string): void;
  /** Undefined: it worked. Else what is wrong, in one sentence. */
  check(left: RunLeftovers): string | undefined;
  /** Tokens the client may ask for. */
  readonly maxTokens?: number;
  /** How the simulated model behaves here, in addition to its name; see apps/simulator/README.md. */
  readonly settings?: string;
  /** The client is interrupted this many milliseconds after its first request arrived; then it runs again. */
  readonly interruptAfterMs?: number;
}

const bigBytes = 20 * 1024;
const untouched = 'This file must stay as it is.\n';

/** The tasks of every client run, each verified by its effect on disk or in the final answer. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'read-write',
    shows: 'SC-001, SC-002, M-9',
    prompt: 'Read hello.txt, then create out.txt containing exactly one line: WROTE-BY-TOOL. Then say you are done.',
    prepare: (work) => put(work, 'hello.txt', 'SECRET-HELLO-4711\n'),
    check: (left) => hasLine(left, 'out.txt', 'WROTE-BY-TOOL') ?? missingWord(left, 'SECRET-HELLO-4711'),
  },
  {
    name: 'three-in-parallel',
    shows: 'FR-020, M-9',
    prompt: 'Read a.txt, b.txt and c.txt in parallel. Then say what each of them says.',
    prepare: (work) => {
      for (const [name, word] of Object.entries(parallelWords)) put(work, `${name}.txt`, `${word}\n`);
    },
    check: (left) =>
      Object.values(parallelWords).reduce<string | undefined>(
        (wrong, word) => wrong ?? missingWord(left, word),
        undefined,
      ),
  },
  {
    name: 'big-write',
    prompt: 'Create big.txt with 20 KB of text. Then say you are done.',
    check: ({ work }) => {
      const found = contentOf(work, 'big.txt');
      if (found === undefined) return 'big.txt was not written';
      const wanted = bigContent(bigBytes);
      // One client adds a last newline, another takes it away.
      return found.replace(/\n+$/, '') === wanted.replace(/\n+$/, '')
        ? undefined
        : `big.txt differs: ${found.length} characters, ${wanted.length} expected`;
    },
    maxTokens: 32_768,
  },
  {
    name: 'recover',
    shows: 'E-5',
    prompt: 'Read missing.txt; if that file does not exist, read hello.txt instead. Then say what it says.',
    prepare: (work) => put(work, 'hello.txt', 'SECRET-HELLO-4711\n'),
    check: (left) => missingWord(left, 'SECRET-HELLO-4711'),
  },
  {
    name: 'twenty-calls',
    shows: 'SC-008',
    prompt:
      'Read n01.txt to n20.txt one after the other. Then create out.txt containing exactly one line: ALL-TWENTY. Then say you are done.',
    prepare: (work) => {
      for (let n = 1; n <= 20; n++) put(work, `n${String(n).padStart(2, '0')}.txt`, `NUMBER-${n}\n`);
    },
    check: (left) => hasLine(left, 'out.txt', 'ALL-TWENTY'),
  },
  {
    name: 'interrupt',
    prompt: 'Create big.txt with 20 KB of text. Then say you are done.',
    check: ({ work }) =>
      contentOf(work, 'big.txt') === undefined ? 'the run after the interruption did not write big.txt' : undefined,
    maxTokens: 32_768,
    settings: 'delay=2',
    interruptAfterMs: 700,
  },
  {
    name: 'cut-write',
    prompt: 'Overwrite kept.txt with 20 KB of text. Then say you are done.',
    prepare: (work) => put(work, 'kept.txt', untouched),
    check: ({ work }) =>
      contentOf(work, 'kept.txt') === untouched ? undefined : 'kept.txt was changed by a call that was cut off',
    settings: 'faults=truncate-call',
  },
];

const parallelWords = { a: 'ALPHA-11', b: 'BRAVO-22', c: 'CHARLIE-33' };

const put = (work: string, name: string, content: string) => writeFileSync(join(work, name), content);

function contentOf(work: string, name: string): string | undefined {
  const path = join(work, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function hasLine({ work }: RunLeftovers, name: string, line: string): string | undefined {
  const found = contentOf(work, name);
  if (found === undefined) return `${name} was not written`;
  return found.trim() === line || found.trim() === `${line}.`
    ? undefined
    : `${name} says ${JSON.stringify(found.slice(0, 80))}`;
}

const missingWord = ({ printed }: RunLeftovers, word: string): string | undefined =>
  printed.includes(word) ? undefined : `the answer does not mention ${word}`;
