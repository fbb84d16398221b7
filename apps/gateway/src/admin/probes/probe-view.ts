import type { Probe, ProbeHead } from '@callsmith/contracts';
import type { ProbeArm, ProbeHead as StoredHead, Probe as StoredProbe } from '@callsmith/data/probes';
import { armResult, caseTitles, probeRequests, recommend } from '@callsmith/evaluate';

const MOST_FAILURES = 100;

/** A probe as lists show it; `upstream`: the name of its upstream, null if it is gone. */
export const probeHeadView = (
  { id, at, modelId, upstreamId, engineVersion, cause, size, state, problem, endedAt }: StoredHead,
  upstream: string | null,
): ProbeHead => ({
  id,
  at: at.toISOString(),
  modelId,
  upstreamId,
  upstream,
  engineVersion,
  cause,
  size,
  state,
  problem,
  endedAt: endedAt?.toISOString() ?? null,
});

/** A probe with all its results. */
export function probeView(probe: StoredProbe, upstream: string | null): Probe {
  const { rows, arms, inEffect, state, seed, size, ...rest } = probe;
  const measured = arms.map((arm, index) => ({ name: nameOf(arm), rows: rows.filter((row) => row.arm === index) }));
  const over = state !== 'waiting' && state !== 'running';
  return {
    ...probeHeadView(probe, upstream),
    budget: rest.budget,
    spent: rest.spent,
    done: rows.length,
    total: probeRequests({ seed, size, arms: measured, inEffect }).length,
    arms: arms.map(({ strategy, dialect, examples = null }, index) => {
      const { cases, ...result } = armResult(measured[index]?.rows ?? []);
      const name = measured[index]?.name ?? '';
      return { strategy, dialect, examples, name, inEffect: index === inEffect, ...result, cases: [...cases] };
    }),
    cases: [...caseTitles],
    failures: rows
      .filter(({ right }) => !right)
      .slice(0, MOST_FAILURES)
      .map(({ arm, case: number, streamed, why, said }) => ({
        arm,
        case: number,
        streamed,
        why: why ?? '',
        said: said ?? '',
      })),
    support: rest.support && [...rest.support],
    recommendation: over ? recommend(measured, inEffect, size) : null,
  };
}

const nameOf = ({ strategy, dialect, examples }: ProbeArm): string =>
  dialect === null ? strategy : `${strategy} with ${dialect}${examples ? ' and example calls' : ''}`;
