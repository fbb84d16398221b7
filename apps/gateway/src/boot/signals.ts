/** The terminal sends its signal to every process of `npm start`, and npm passes its own on: that is still one wish. */
const ONE_WISH_MS = 1000;

/** Calls `stop` at the first SIGINT or SIGTERM; a second wish, a moment later, ends the process at once. */
export function onStopSignal(stop: () => Promise<void>): void {
  let first: number | undefined;
  const heard = () => {
    const now = performance.now();
    if (first === undefined) {
      first = now;
      void stop();
    } else if (now - first > ONE_WISH_MS) process.exit(0);
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
}
