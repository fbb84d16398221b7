import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type BfclCases,
  bfclClasses,
  type ReadRecordings,
  readBfcl,
  readJsonLines,
  readK2VendorVerifier,
  readTranscripts,
} from '@callsmith/evaluate';
import { Refused } from '../exit-codes.ts';

/** Formats of files with recorded replies. */
export const recordingFormats = ['bfcl', 'k2vv', 'transcripts', 'jsonl'] as const;
export type Format = (typeof recordingFormats)[number];

/** Reads a file; `cases` is the folder of BFCL's cases (`bfcl_eval/data`). Throws if it cannot be read. */
export function readRecordings(file: string, format: Format, cases: string | undefined): ReadRecordings {
  const text = readFileSync(file, 'utf8');
  const group = basename(file).replace(/\.jsonl?$/, '');
  switch (format) {
    case 'bfcl':
      if (cases === undefined) throw new Refused("--format bfcl needs --cases: the folder with BFCL's cases.");
      return readBfcl(
        text,
        (category) => bfclCases(cases, category),
        (name) => bfclFunctions(cases, name),
      );
    case 'k2vv':
      return readK2VendorVerifier(text, group);
    case 'transcripts':
      return readTranscripts(text, group);
    case 'jsonl':
      return readJsonLines(text, group);
  }
}

function bfclCases(folder: string, category: string): BfclCases | undefined {
  const name = readdirSync(folder).find((one) => one.replace(/^BFCL_v\d+_/, '') === `${category}.json`);
  if (name === undefined) return undefined;
  const answers = join(folder, 'possible_answer', name);
  return {
    cases: readFileSync(join(folder, name), 'utf8'),
    ...(existsSync(answers) && { answers: readFileSync(answers, 'utf8') }),
  };
}

function bfclFunctions(folder: string, name: string): string | undefined {
  const file = join(folder, 'multi_turn_func_doc', `${bfclClasses[name]}.json`);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
