import { setTimeout as sleep } from 'node:timers/promises';
import type { api, Client, Probe } from '@callsmith/contracts';
import { probeTable } from './probe-table.ts';

export const PROBE_USAGE = `npm run probe -- MODEL [--full]

  Asks the model the twenty tasks of a probe by each strategy and prints what it can do (some two minutes; --full: 115
  requests a strategy). Callsmith must be running. Ctrl-C cancels the probe.
  Exit code: 0 nothing is surely better than what is in effect, 2 a change is recommended, 1 nothing was measured.`;

/** What the arguments of `npm run probe` ask for; undefined: they are none of its. */
export function probeWish(args: readonly string[]): { model: string; size: 'quick' | 'full' } | undefined {
  const [model, ...others] = args.filter((arg) => arg !== '--full');
  if (model === undefined || model.startsWith('--') || others.length > 0) return undefined;
  return { model, size: args.includes('--full') ? 'full' : 'quick' };
}

/** How a probe by command came out. */
export interface CommandEnd {
  readonly text: string;
  readonly exitCode: 0 | 1 | 2;
}

/** What the command works with. */
export interface ProbeCommandParts {
  readonly client: Pick<Client<typeof api>, 'probes'>;
  /** Told how far it is. */
  readonly progress: (say: string) => void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

/** Starts a probe, waits for its end, and tells what it found. Aborted, it cancels the probe. Throws `ApiError`. */
export async function probeModel(
  { model, size }: { readonly model: string; readonly size: 'quick' | 'full' },
  { client, progress, signal, everyMs = 1_000 }: ProbeCommandParts,
): Promise<CommandEnd> {
  let probe = await client.probes.start({ params: { id: model }, body: { size } });
  const params = { id: probe.id };
  while (probe.state === 'waiting' || probe.state === 'running') {
    progress(`${probe.done} of ${probe.total} answered`);
    const stopped = await sleep(everyMs, false, { signal }).catch(() => true);
    probe = stopped ? await client.probes.cancel({ params }) : await client.probes.show({ params });
  }
  return { text: probeTable(probe), exitCode: exitCodeOf(probe) };
}

function exitCodeOf({ state, recommendation }: Probe): CommandEnd['exitCode'] {
  if (state !== 'done') return 1;
  return recommendation?.arm == null ? 0 : 2;
}
