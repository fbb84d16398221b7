/** The steps of the start that `npm start` did not do itself, numbered after those. */
const FIRST = 4;
const ALL = 5;

/** Does one step after the other, telling on standard output what ran and how long it took; in a terminal also what runs. */
export class Steps {
  private number = FIRST;

  /** Does `work`, announced as `title`. A step that fails says so and throws on. */
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
