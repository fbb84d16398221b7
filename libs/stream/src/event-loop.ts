/**
 * Runs `work` after the event loop has handled what has arrived in the meantime. `setImmediate` alone does not ensure
 * that: called while I/O is handled, it runs before the next I/O, so that two pieces of work become one.
 */
export const afterOthers = (work: () => void): void => {
  setImmediate(() => setImmediate(work));
};

/** Resolves after the event loop has handled what has arrived in the meantime, for work that is done in pieces. */
export const yieldToOthers = (): Promise<void> => new Promise(afterOthers);
