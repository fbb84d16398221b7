import type { Probe, ProbeHead, SavedCase } from '@callsmith/contracts';
import type {
  ProbeArm,
  SavedCase as StoredCase,
  ProbeHead as StoredHead,
  Probe as StoredProbe,
} from '@callsmith/data/probes';
import { armResult, caseTitles, probeRequests, recommend, type SavedCases } from '@callsmith/evaluate';

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

/** A case as it was saved for a model. */
export const savedCaseView = ({ id, at, title, request, expects }: StoredCase): SavedCase => ({
  id,
  at: at.toISOString(),
  title,
  request,
  expects,
});

/** A probe with all its results; `savedCases`: those that it sends. */
export function probeView(probe: StoredProbe, savedCases: SavedCases, upstream: string | null): Probe {
  const { rows, arms, inEffect, state, seed, size, ...rest } = probe;
  const measured = arms.map((arm, index) => ({ name: nameOf(arm), rows: rows.filter((row) => row.arm === index) }));
  const over = state !== 'waiting' && state !== 'running';
  return {
    ...probeHeadView(probe, upstream),
    budget: rest.budget,
    spent: rest.spent,
    done: rows.length,
    // Rows of a case that has been deleted since are beyond the requests that are planned now.
    total: Math.max(rows.length, probeRequests({ seed, size, savedCases, arms: measured, inEffect }).length),
    arms: arms.map(({ strategy, dialect, examples = null }, index) => {
      const { cases, ...result } = armResult(measured[index]?.rows ?? []);
      const name = measured[index]?.name ?? '';
      return { strategy, dialect, examples, name, inEffect: index === inEffect, ...result, cases: [...cases] };
    }),
    cases: caseTitles(savedCases),
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
