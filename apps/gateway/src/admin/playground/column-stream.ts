import { Readable } from 'node:stream';
import type { PlaygroundEvent, PlaygroundProgress } from '@callsmith/contracts';

/** Something that can be paused while its reader is slow. */
interface Flow {
  pause(): void;
  resume(): void;
}

/** What a column needs to run. */
export interface ColumnRun {
  emit(progress: PlaygroundProgress): void;
  flow(control: Flow): void;
  /** Aborted when the reader has disconnected. */
  readonly signal: AbortSignal;
}

/** UTF-8 bytes that may wait for a slow reader before the columns are paused. */
const HIGH_WATER = 256 * 1024;
/** Proxies cut streams that are silent for a minute. */
const BEAT_MS = 15_000;

/**
 * Runs columns concurrently and returns their output as server-sent events, in order of arrival. It ends when all have
 * ended; destroying it aborts them.
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
      emit(progress) {
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
