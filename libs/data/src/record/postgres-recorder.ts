import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import pg from 'pg';
import { newId, turnTime } from '../ids.ts';
import { bodyRow, insertRows, type TurnRows, turnRows } from './insert.ts';
import { Sampling, type SamplingSettings } from './sampling.ts';
import { sizeOf } from './storable.ts';
import type { Recorder, TurnBodyRecord, TurnRecord } from './turn-record.ts';

export interface RecorderOptions {
  readonly databaseUrl: string;
  readonly productVersion: string;
  readonly settings: () => SamplingSettings;
  /** Maximum queued turns. */
  readonly capacity?: number;
  /** Maximum queued UTF-16 units of bodies. */
  readonly capacityUnits?: number;
  /** How long a turn waits for a batch, in milliseconds. */
  readonly gatherMs?: number;
  /** Called once when the store begins to refuse rows, with its error. */
  readonly onAway?: (problem: string) => void;
}

/** The state of the record. */
export interface RecorderState {
  readonly queued: number;
  /** Turns that were never written. */
  readonly lost: number;
  /** Since when the store accepts nothing; undefined: it works. */
  readonly awaySince: Date | undefined;
  /** The store accepts nothing because its disk is full. */
  readonly diskFull: boolean;
  /** The last error. */
  readonly problem: string | undefined;
}

/** A queued turn: its rows, and its body until it has been masked. */
interface Waiting extends Omit<TurnRows, 'body'> {
  readonly body: TurnBodyRecord | null;
  /** Size of the body in UTF-16 units. */
  readonly units: number;
}

const BATCH_TURNS = 200;
const BATCH_UNITS = 512 * 1024;
const DAY_MS = 86_400_000;

/** Writes turns in the background: collected in batches, and queued while Postgres is unreachable. */
export class PostgresRecorder implements Recorder {
  private readonly pool: pg.Pool;
  private readonly sampling: Sampling;
  private readonly capacity: number;
  private readonly capacityUnits: number;
  private readonly gatherMs: number;
  private queue: Waiting[] = [];
  private units = 0;
  /** Taken from the queue, not yet written. */
  private writing = 0;
  private lost = 0;
  /** Of those, sent to the store. */
  private lossTold = 0;
  private awaySince: Date | undefined;
  private diskFull = false;
  private problem: string | undefined;
  private running: Promise<void> | undefined;
  private wake: (() => void) | undefined;
  private stopping = false;
  private closed = false;

  constructor(private readonly options: RecorderOptions) {
    this.pool = new pg.Pool({
      connectionString: options.databaseUrl,
      max: 1,
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
      options: '-c TimeZone=UTC',
      application_name: 'callsmith record',
    });
    // The next batch reopens a broken idle connection.
    this.pool.on('error', () => {});
    this.sampling = new Sampling(options.settings);
    this.capacity = options.capacity ?? 20_000;
    this.capacityUnits = options.capacityUnits ?? 64 * 1024 * 1024;
    this.gatherMs = options.gatherMs ?? 250;
  }

  get state(): RecorderState {
    return {
      queued: this.queue.length + this.writing,
      lost: this.lost,
      awaySince: this.awaySince,
      diskFull: this.diskFull,
      problem: this.problem,
    };
  }

  stores(about: Parameters<Recorder['stores']>[0]): boolean {
    return this.sampling.stores(about);
  }

  add(turn: TurnRecord): void {
    if (this.closed || this.queue.length + this.writing >= this.capacity) {
      this.lost += 1;
      return;
    }
    try {
      this.queue.push(this.waiting(turn));
    } catch (problem) {
      this.drop(problem);
    }
    this.running ??= this.run();
  }

  /** Writes the queue, for at most `maxWaitMs`; the rest is lost and counted. */
  async stop(maxWaitMs = 5_000): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    this.wake?.();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((done) => {
      timer = setTimeout(done, maxWaitMs);
    });
    await Promise.race([this.running, timeout]);
    clearTimeout(timer);
    this.closed = true;
    this.lost += this.queue.length + this.writing;
    this.queue = [];
    this.writing = 0;
    // Closing waits for a running query; one that hangs is left until the process exits.
    await Promise.race([this.pool.end(), new Promise((done) => setTimeout(done, 500).unref())]);
  }

  private async run(): Promise<void> {
    await this.pause(this.gatherMs);
    while (this.queue.length > 0) {
      const batch = this.take();
      await this.write(await this.rows(batch));
      this.writing = 0;
      await this.tellLoss();
      if (this.queue.length < BATCH_TURNS && this.queue.length > 0) await this.pause(this.gatherMs);
    }
    this.running = undefined;
  }

  private waiting(turn: TurnRecord): Waiting {
    const units = sizeOf(turn.body);
    // A turn without its bodies is better than none.
    const body = this.units + units <= this.capacityUnits ? turn.body : null;
    const rows = turnRows(body === turn.body ? turn : { ...turn, body }, this.options.productVersion);
    this.units += body ? units : 0;
    return { body, units: body ? units : 0, ...rows };
  }

  private take(): Waiting[] {
    let units = 0;
    let count = 0;
    for (const turn of this.queue) {
      if (count === BATCH_TURNS || (count > 0 && units > BATCH_UNITS)) break;
      units += turn.units;
      count += 1;
    }
    const batch = this.queue.splice(0, count);
    this.writing = batch.length;
    this.units = this.queue.length === 0 ? 0 : this.units - units;
    return batch;
  }

  private async rows(batch: readonly Waiting[]): Promise<TurnRows[]> {
    const rows: TurnRows[] = [];
    for (const { id, turn, calls, body } of batch) {
      try {
        rows.push({ id, turn, calls, body: body ? bodyRow(id, body) : undefined });
      } catch (problem) {
        this.drop(problem);
      }
      // Masking a large body takes a while: streams go first.
      if (body) await turnOfTheLoop();
    }
    return rows;
  }

  /** Writes rows; waits while the store is unreachable; drops a row that the store refuses because of its content. */
  private async write(rows: readonly TurnRows[]): Promise<void> {
    if (rows.length === 0) return;
    for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        await this.insert(rows);
        this.awaySince = undefined;
        this.diskFull = false;
        return;
      } catch (problem) {
        if (isRefusal(problem)) return this.writeHalves(rows, problem);
        if (this.closed) return;
        this.problem = messageOf(problem);
        this.diskFull = codeOf(problem) === DISK_FULL;
        if (this.awaySince === undefined) this.options.onAway?.(this.problem);
        this.awaySince ??= new Date();
      }
      if (this.stopping) waitMs = 250;
      await this.pause(waitMs);
    }
  }

  private async insert(rows: readonly TurnRows[]): Promise<void> {
    try {
      await insertRows(this.pool, rows);
    } catch (problem) {
      if (!isMissingDay(problem)) throw problem;
      await this.makeDays(rows);
      await insertRows(this.pool, rows);
    }
  }

  private async makeDays(rows: readonly TurnRows[]): Promise<void> {
    const days = new Set(rows.map(({ id }) => turnTime(id).toISOString().slice(0, 10)));
    const latest = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    for (const day of days) if (day <= latest) await this.pool.query('SELECT make_days($1::date, $1::date)', [day]);
  }

  private async writeHalves(rows: readonly TurnRows[], problem: unknown): Promise<void> {
    if (rows.length === 1) return this.drop(problem);
    const middle = Math.ceil(rows.length / 2);
    await this.write(rows.slice(0, middle));
    await this.write(rows.slice(middle));
  }

  /** Records, once the store accepts rows again, how many were lost: alerts use it. */
  private async tellLoss(): Promise<void> {
    const turns = this.lost - this.lossTold;
    if (turns === 0 || this.closed) return;
    try {
      await this.pool.query('INSERT INTO record_loss (id, turns) VALUES ($1, $2)', [newId('loss'), turns]);
      this.lossTold += turns;
    } catch {
      // The next batch retries.
    }
  }

  private drop(problem: unknown): void {
    this.lost += 1;
    this.problem = messageOf(problem);
  }

  private pause(ms: number): Promise<void> {
    if (this.stopping && ms <= this.gatherMs && !this.awaySince) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** SQLSTATE of a write without enough disk space. */
const DISK_FULL = '53100';

/** The store's error is about the data: SQLSTATE classes 21 to 23. */
const isRefusal = (problem: unknown): boolean => /^2[123]/.test(codeOf(problem));

/** A row of a day that has no partition yet. */
const isMissingDay = (problem: unknown): boolean =>
  codeOf(problem) === '23514' && /no partition/.test(messageOf(problem));

function codeOf(problem: unknown): string {
  const code = problem instanceof Error ? (problem as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

const messageOf = (problem: unknown): string =>
  (problem instanceof Error ? problem.message : String(problem)).slice(0, 300);
