import { type DiscordantPairs, discordantPairs } from './paired.ts';
import { type MeasuredArm, recommend } from './recommend.ts';
import { furtherQuestions, type ProbeQuestion, type ProbeSize, probeQuestions, type SavedCases } from './rounds.ts';

/** An arm whose right share is this much better than that of the arm in effect justifies more requests. */
const WORTH = 0.02;

/** A probe and its results so far. */
interface ProbeSoFar {
  readonly seed: string;
  readonly size: ProbeSize;
  readonly savedCases?: SavedCases;
  readonly arms: readonly MeasuredArm[];
  readonly inEffect: number;
}

/**
 * The requests of a probe, by all results so far, each question with the index of its arm: its first questions of every
 * arm and, if these show an arm that may be better without significance, as many again of that arm and of the one in
 * effect. Depends on the first questions alone, so that a process that resumes it later sends the same ones.
 */
export function probeRequests(probe: ProbeSoFar): [question: ProbeQuestion, arm: number][] {
  const { seed, size, savedCases, arms } = probe;
  const first = probeQuestions(seed, size, savedCases);
  const all = arms.map((_, arm) => arm);
  const further = undecided(probe, first);
  return [
    ...first.flatMap((question) => all.map((arm): [ProbeQuestion, number] => [question, arm])),
    ...(further.length === 0 ? [] : furtherQuestions(seed, size)).flatMap((question) =>
      further.map((arm): [ProbeQuestion, number] => [question, arm]),
    ),
  ];
}

/** The arm in effect and those that may be better, if a probe sends more; none before its first questions are done. */
function undecided({ size, arms, inEffect }: ProbeSoFar, first: readonly ProbeQuestion[]): number[] {
  const keys = new Set(first.map(({ key }) => key));
  const answered = arms.map((arm) => ({ ...arm, rows: arm.rows.filter(({ key }) => keys.has(key)) }));
  const now = answered[inEffect];
  if (now === undefined || answered.some(({ rows }) => rows.length < first.length)) return [];
  if (recommend(answered, inEffect, size).arm !== null) return [];
  const ahead = ({ wins, losses }: DiscordantPairs): number => (wins - losses) / first.length;
  const hopeful = answered.flatMap(({ rows }, arm) =>
    ahead(discordantPairs(rows, now.rows, 'right')) >= WORTH ? [arm] : [],
  );
  return hopeful.length === 0 ? [] : [inEffect, ...hopeful];
}
