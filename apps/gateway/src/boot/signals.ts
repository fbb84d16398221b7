/** A Ctrl-C arrives twice, from the terminal and from npm; signals closer together than this count as one. */
const SAME_SIGNAL_MS = 1000;

/** Calls `stop` at the first SIGINT or SIGTERM; a second signal later than that ends the process immediately. */
export function onStopSignal(stop: () => Promise<void>): void {
  let first: number | undefined;
  const onSignal = () => {
    const now = performance.now();
    if (first === undefined) {
      first = now;
      void stop();
    } else if (now - first > SAME_SIGNAL_MS) process.exit(0);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
