import { Readable } from 'node:stream';
import type { PlaygroundEvent, PlaygroundProgress } from '@callsmith/contracts';

/** What may be held up while its reader is slow. */
interface Flow {
  pause(): void;
  resume(): void;
}

/** What a column is run with. */
export interface ColumnRun {
  tell(progress: PlaygroundProgress): void;
  flow(control: Flow): void;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

/** UTF-8 bytes that wait for a slow reader before the columns are held up. */
const HIGH_WATER = 256 * 1024;
/** Proxies cut streams on which nothing comes for a minute. */
const BEAT_MS = 15_000;

/**
 * Runs columns side by side and gives what they tell as server-sent events, in the order in which it comes. It ends when
 * all are over; whoever destroys it ends them.
 */
export function columnStream(columns: readonly ((run: ColumnRun) => Promise<void>)[]): Readable {
  const stopping = new AbortController();
  const flows: Flow[] = [];
  const out = new Readable({
    highWaterMark: HIGH_WATER,
    read() {
      for (const flow of flows) flow.resume();
    },
    destroy(error, done) {
      clearInterval(beat);
      stopping.abort();
      done(error);
    },
  });
  const beat = setInterval(() => write(':\n\n'), BEAT_MS);
  const write = (frame: string): void => {
    if (out.destroyed || out.push(frame)) return;
    for (const flow of flows) flow.pause();
  };
  const running = columns.map((run, column) =>
    run({
      tell(progress) {
        const event: PlaygroundEvent = { column, ...progress };
        write(`data: ${JSON.stringify(event)}\n\n`);
      },
      flow: (flow) => flows.push(flow),
      signal: stopping.signal,
    }),
  );
  Promise.all(running).then(
    () => out.push(null),
    (error: Error) => out.destroy(error),
  );
  return out;
}
