import { setTimeout as sleep } from 'node:timers/promises';
import type { api, Client, Probe } from '@callsmith/contracts';
import { probeTable } from './probe-table.ts';

/** The result of a probe by command. */
export interface ProbeCommandResult {
  readonly text: string;
  readonly probe: Probe;
  readonly exitCode: 0 | 1 | 2;
}

/** What the command needs. */
export interface ProbeCommandParts {
  readonly client: Pick<Client<typeof api>, 'probes'>;
  /** Reports progress. */
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

/** Starts a probe, waits for its end, and returns its result. Aborting cancels the probe. Throws `ApiError`. */
export async function probeModel(
  { model, size }: { readonly model: string; readonly size: 'quick' | 'full' },
  { client, progress, signal, everyMs = 1_000 }: ProbeCommandParts,
): Promise<ProbeCommandResult> {
  let probe = await client.probes.start({ params: { id: model }, body: { size } });
  const params = { id: probe.id };
  while (probe.state === 'waiting' || probe.state === 'running') {
    progress(`${probe.done} of ${probe.total} answered`);
    const stopped = await sleep(everyMs, false, { signal }).catch(() => true);
    probe = stopped ? await client.probes.cancel({ params }) : await client.probes.show({ params });
  }
  return { text: probeTable(probe), probe, exitCode: exitCodeOf(probe) };
}

function exitCodeOf({ state, recommendation }: Probe): ProbeCommandResult['exitCode'] {
  if (state !== 'done') return 1;
  return recommendation?.arm == null ? 0 : 2;
}
