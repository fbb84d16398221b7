/** The steps of the start that run in the gateway, numbered after those of `scripts/start.mjs`. */
const FIRST = 4;
const ALL = 5;

/** Runs one step after the other and prints each with its duration; in a terminal also the current one. */
export class StartupProgress {
  private number = FIRST;

  /** Says why the current step takes longer. */
  note(words: string): void {
    process.stdout.write(process.stdout.isTTY ? `${words} … ` : `${words}\n`);
  }

  /** Runs `work` as the step `title`. Prints "failed" and rethrows if it fails. */
  async run<T>(title: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const head = `[${this.number++}/${ALL}] ${title} … `;
    const live = process.stdout.isTTY;
    if (live) process.stdout.write(head);
    const finish = (words: string) => process.stdout.write(`${live ? '' : head}${words}\n`);
    try {
      const result = await work();
      finish(`${((performance.now() - began) / 1000).toFixed(1)} s`);
      return result;
    } catch (error) {
      finish('failed');
      throw error;
    }
  }
}
