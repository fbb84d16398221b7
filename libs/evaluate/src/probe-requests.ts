import { type DiscordantPairs, discordantPairs } from './paired.ts';
import { type MeasuredArm, recommend } from './recommend.ts';
import { furtherQuestions, type ProbeQuestion, type ProbeSize, probeQuestions } from './rounds.ts';

/** Arms that are so much more often right than the one in effect are worth more requests. */
const WORTH = 0.02;

/** A probe, as far as it has come. */
interface ProbeSoFar {
  readonly seed: string;
  readonly size: ProbeSize;
  readonly arms: readonly MeasuredArm[];
  readonly inEffect: number;
}

/**
 * What a probe asks, by all that is known so far, each question of the arm whose index stands behind it: its own
 * questions of every arm and, where these tell of an arm that may be better and may be chance, as many again of that arm
 * and of the one in effect. Decided by its own questions alone, so that who takes it up amid the further ones asks the same.
 */
export function probeRequests(probe: ProbeSoFar): [question: ProbeQuestion, arm: number][] {
  const { seed, size, arms } = probe;
  const own = probeQuestions(seed, size);
  const all = arms.map((_, arm) => arm);
  const further = undecided(probe, own);
  return [
    ...own.flatMap((question) => all.map((arm): [ProbeQuestion, number] => [question, arm])),
    ...(further.length === 0 ? [] : furtherQuestions(seed, size)).flatMap((question) =>
      further.map((arm): [ProbeQuestion, number] => [question, arm]),
    ),
  ];
}

/** The arm in effect and those that may be better, where a probe asks on; none before it is through. */
function undecided({ size, arms, inEffect }: ProbeSoFar, own: readonly ProbeQuestion[]): number[] {
  const keys = new Set(own.map(({ key }) => key));
  const answered = arms.map((arm) => ({ ...arm, rows: arm.rows.filter(({ key }) => keys.has(key)) }));
  const now = answered[inEffect];
  if (now === undefined || answered.some(({ rows }) => rows.length < own.length)) return [];
  if (recommend(answered, inEffect, size).arm !== null) return [];
  const ahead = ({ wins, losses }: DiscordantPairs): number => (wins - losses) / own.length;
  const hopeful = answered.flatMap(({ rows }, arm) =>
    ahead(discordantPairs(rows, now.rows, 'right')) >= WORTH ? [arm] : [],
  );
  return hopeful.length === 0 ? [] : [inEffect, ...hopeful];
}
