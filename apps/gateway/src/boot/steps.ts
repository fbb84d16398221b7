/** The steps of the start that `npm start` did not do itself, numbered after those. */
const FIRST = 4;
const ALL = 5;

/** Does one step after the other, telling on standard output what runs and how long it took. */
export class Steps {
  private number = FIRST;

  /** Does `work`, announced as `title`. A step that fails says so and throws on. */
  async run<T>(title: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    process.stdout.write(`[${this.number++}/${ALL}] ${title} … `);
    try {
      const result = await work();
      process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s\n`);
      return result;
    } catch (error) {
      process.stdout.write('failed\n');
      throw error;
    }
  }
}
