import type { JsonObject } from '@callsmith/turn';
import { probeCases } from './cases/cases.ts';
import { noncesFrom } from './cases/nonces.ts';
import type { Expectation } from './cases/probe-case.ts';
import { FIRST_SAVED_CASE, type SavedCase } from './cases/saved-case.ts';

/** One request of a probe: every arm gets the same. */
export interface ProbeQuestion {
  /** The same for all arms, and for no other request of the probe. */
  readonly key: string;
  readonly case: number;
  readonly streamed: boolean;
  readonly request: JsonObject;
  readonly expects: Expectation;
}

/** How often the twenty cases are sent: once takes about two minutes, five times is enough for an interval. */
const roundsOf = { quick: 1, full: 5 } as const;
/** How often they are sent again if that was inconclusive. */
const furtherRoundsOf = { quick: 0, full: 5 } as const;
export type ProbeSize = keyof typeof roundsOf;

/** How often a probe of this size is tested, for the correction of p. */
export const looksOf = (size: ProbeSize): number => (furtherRoundsOf[size] > 0 ? 2 : 1);

/** The saved cases of a probe, in order; undefined: one that has been deleted since. */
export type SavedCases = readonly (SavedCase | undefined)[];

/** The first questions of a probe, in order; the same seed and saved cases give the same ones. */
export function probeQuestions(seed: string, size: ProbeSize, savedCases: SavedCases = []): ProbeQuestion[] {
  return [...roundsFrom(seed, 1, roundsOf[size]), ...savedQuestions(savedCases)];
}

/**
 * Each saved case is sent once, whatever the size: a second answer to the same request says little new, but would be
 * counted as much. Streamed, as coding clients send requests.
 */
const savedQuestions = (savedCases: SavedCases): ProbeQuestion[] =>
  savedCases.flatMap((saved, index) => {
    if (saved === undefined) return [];
    const { id, request, expects } = saved;
    const limit = 'max_completion_tokens' in request ? {} : { max_tokens: MOST_TOKENS_OF_SAVED };
    const streamed = { ...limit, ...request, stream: true };
    return [{ key: id, case: FIRST_SAVED_CASE + index, streamed: true, request: streamed, expects }];
  });

/** The longest answer to a saved case that does not say itself how long it may be. */
const MOST_TOKENS_OF_SAVED = 4_000;

/** The further questions, for arms with inconclusive results. */
export function furtherQuestions(seed: string, size: ProbeSize): ProbeQuestion[] {
  return roundsFrom(seed, 1 + roundsOf[size], furtherRoundsOf[size]);
}

const roundsFrom = (seed: string, first: number, count: number): ProbeQuestion[] =>
  Array.from({ length: count }, (_, at) => roundQuestions(seed, first + at)).flat();

function roundQuestions(seed: string, round: number): ProbeQuestion[] {
  return probeCases(noncesFrom(`${seed}|${round}`)).flatMap(({ number, streamed, make }) => {
    const question = (stream: boolean): ProbeQuestion => {
      const { request, expects } = make();
      const key = `${round}.${number}${stream ? 's' : ''}`;
      return { key, case: number, streamed: stream, request: { ...request, stream }, expects };
    };
    return streamed === true ? [question(false), question(true)] : [question(false)];
  });
}

const builtInTitles = probeCases(noncesFrom('')).map(({ number, title }) => ({ case: number, title }));

/** The titles of a probe's cases, by number. */
export const caseTitles = (savedCases: SavedCases): { readonly case: number; readonly title: string }[] => [
  ...builtInTitles,
  ...savedCases.map((saved, index) => ({ case: FIRST_SAVED_CASE + index, title: saved?.title ?? 'Deleted case' })),
];

/** True if a tool call is expected. */
export const wantsCall = ({ expects }: Pick<ProbeQuestion, 'expects'>): boolean => expects.kind !== 'text';
