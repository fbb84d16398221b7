import { type DemoTarget, sendDemoTurn } from './send.ts';

/** Maximum duration of one viewing. */
const LONGEST_MS = 15 * 60_000;
/** Without a poll for this long no one is watching. */
const UNASKED_MS = 10_000;

/** Settings of the driver, with times that tests shorten. */
export interface DemoDriverOptions {
  /** Undefined: the demo is off, or not ready. */
  readonly target: () => DemoTarget | undefined;
  readonly firstEveryMs?: number;
  readonly everyMs?: number;
  readonly now?: () => number;
}

/** Whether turns are being sent, and until when at the latest. */
export interface DemoState {
  readonly running: boolean;
  readonly until: Date | null;
}

/** Sends demo turns: a batch on the very first start, then one every 2 s as long as someone is watching. */
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

  /**
   * Sends `count` turns at a steady pace; resolves when the last was answered, or immediately if the driver is closed.
   */
  async first(count: number): Promise<void> {
    const answers: Promise<void>[] = [];
    for (let n = 0; n < count && !this.#abort.signal.aborted; n++) {
      answers.push(this.#send());
      await pause(this.#firstEveryMs, this.#abort.signal);
    }
    await Promise.all(answers);
  }

  /** Starts or stops sending turns; must be repeated within 10 s. */
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

  /** Stops everything, including running turns. */
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

  /** Continued polling reports that time is up; polling again after a pause restarts it. */
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
    // A failed turn is recorded like any other; there is no one to report it to.
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
