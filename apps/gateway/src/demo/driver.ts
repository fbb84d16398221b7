import { type DemoTarget, sendDemoTurn } from './send.ts';

/** At most so long for one look at it. */
const LONGEST_MS = 15 * 60_000;
/** Nobody has asked for so long: nobody is looking. */
const UNASKED_MS = 10_000;

/** What drives the demo, with the times that tests shorten. */
export interface DemoDriverOptions {
  /** Undefined: the demo is off, or not ready. */
  readonly target: () => DemoTarget | undefined;
  readonly firstEveryMs?: number;
  readonly everyMs?: number;
  readonly now?: () => number;
}

/** Whether turns go on, and until when at the latest. */
export interface DemoState {
  readonly running: boolean;
  readonly until: Date | null;
}

/** Sends demo turns: a batch on the very first start, then one every 2 s for as long as somebody looks. */
export class DemoDriver {
  readonly #target: () => DemoTarget | undefined;
  readonly #firstEveryMs: number;
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #since: number | undefined;
  #askedAt = 0;

  constructor({ target, firstEveryMs = 500, everyMs = 2_000, now = Date.now }: DemoDriverOptions) {
    this.#target = target;
    this.#firstEveryMs = firstEveryMs;
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** Sends `count` turns at a steady pace; resolves when the last was answered, or at once if the driver is closed. */
  async first(count: number): Promise<void> {
    const answers: Promise<void>[] = [];
    for (let n = 0; n < count && !this.#abort.signal.aborted; n++) {
      answers.push(this.#send());
      await pause(this.#firstEveryMs, this.#abort.signal);
    }
    await Promise.all(answers);
  }

  /** Asks for turns to go on (or to stop); to be asked again within 10 s. */
  keepGoing(on: boolean): DemoState {
    if (!on) return this.#stop();
    const now = this.#now();
    if (this.#since === undefined || now - this.#askedAt > UNASKED_MS) this.#since = now;
    this.#askedAt = now;
    if (now - this.#since < LONGEST_MS && this.#target())
      this.#timer ??= setInterval(() => this.#tick(), this.#everyMs);
    return this.state;
  }

  get state(): DemoState {
    const running = this.#timer !== undefined;
    return { running, until: running && this.#since !== undefined ? new Date(this.#since + LONGEST_MS) : null };
  }

  /** Ends everything, also turns that are on their way. */
  close(): void {
    this.#stop();
    this.#abort.abort();
  }

  #tick(): void {
    const now = this.#now();
    const over = this.#since === undefined || now - this.#since >= LONGEST_MS;
    if (over || now - this.#askedAt > UNASKED_MS || !this.#target()) this.#pause();
    else void this.#send();
  }

  /** Whoever goes on asking sees that time is up; a new look, after a while without one, begins anew. */
  #pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #stop(): DemoState {
    this.#pause();
    this.#since = undefined;
    return this.state;
  }

  async #send(): Promise<void> {
    const target = this.#target();
    // A failed turn is in the record like any other; there is nobody to tell.
    if (target) await sendDemoTurn(target, this.#sent++, this.#abort.signal).catch(() => {});
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
