import type { Directory, KeyEntry, ModelEntry } from '../directory.ts';
import { DEFAULT_SETTINGS, type InstallationSettings } from '../installation-settings.ts';
import type { PrismaService } from '../prisma.ts';
import { useOwnSecrets } from '../record/redact.ts';
import { Findings } from './findings.ts';
import { Listener } from './listener.ts';
import { type DirectoryRows, readRows, readVersion } from './rows.ts';
import { buildSnapshot, type Snapshot, type SnapshotOptions } from './snapshot.ts';
import { Touches } from './touches.ts';

export interface DirectoryOptions extends SnapshotOptions {
  readonly databaseUrl: string;
  /** How long keys and models are served from memory while the store is away. */
  readonly graceMs: number;
  /** How often the count of changes is read, in case a notification was lost. */
  readonly pollMs: number;
}

const EMPTY: DirectoryRows = {
  version: -1,
  keys: [],
  models: [],
  upstreams: [],
  learned: [],
  settings: DEFAULT_SETTINGS,
  ownSecrets: [],
};

/** The directory over Postgres: a snapshot in memory, read again on every change. */
export class StoreDirectory implements Directory {
  private rows = EMPTY;
  private snapshot: Snapshot;
  private readonly listener: Listener;
  private readonly findings: Findings;
  private readonly touches: Touches;
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private readAgain = false;
  /** When the store last answered. */
  private seenAt = Number.NEGATIVE_INFINITY;
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly options: DirectoryOptions,
  ) {
    this.snapshot = buildSnapshot(EMPTY, options, new Date());
    this.listener = new Listener(options.databaseUrl, () => void this.refresh());
    this.findings = new Findings(prisma);
    this.touches = new Touches(prisma);
  }

  /** Reads everything once, then keeps up with changes. Throws if the store does not answer. */
  async start(): Promise<void> {
    await this.read();
    await this.listener.start();
    this.timer = setInterval(() => void this.poll(), this.options.pollMs).unref();
  }

  /** Stops listening and writes what is still to be written. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.listener.stop();
    await this.reading?.catch(() => {});
    await Promise.all([this.findings.write(), this.touches.write()]).catch(() => {});
  }

  key(hash: string): KeyEntry | undefined {
    const entry = this.snapshot.keys.get(hash);
    return entry?.expiresAt && entry.expiresAt.getTime() <= Date.now() ? undefined : entry;
  }

  model(name: string): ModelEntry | undefined {
    return this.snapshot.byName.get(name);
  }

  models(): readonly ModelEntry[] {
    return this.snapshot.models;
  }

  /** Sampling and retention in effect. */
  get settings(): InstallationSettings {
    return this.rows.settings;
  }

  get stale(): boolean {
    return performance.now() - this.seenAt > this.options.graceMs;
  }

  /** Milliseconds since the store last answered; 0 while all is well. */
  get awayMs(): number {
    const away = performance.now() - this.seenAt;
    return away > 3 * this.options.pollMs ? away : 0;
  }

  learn(finding: Parameters<Directory['learn']>[0]): void {
    const row = this.findings.add(finding);
    if (!row) return;
    this.rows = {
      ...this.rows,
      learned: [...this.rows.learned.filter((other) => !this.findings.same(other, row)), row],
    };
    this.rebuild();
    void this.write();
  }

  learnRefusal(upstreamId: string, parameter: string): void {
    const upstream = this.rows.upstreams.find(({ id }) => id === upstreamId);
    if (!upstream || upstream.refuses.includes(parameter)) return;
    const refuses = [...upstream.refuses, parameter];
    this.rows = {
      ...this.rows,
      upstreams: this.rows.upstreams.map((other) => (other === upstream ? { ...other, refuses } : other)),
    };
    this.rebuild();
    this.findings.addRefusal(upstreamId, parameter);
    void this.write();
  }

  touch(keyId: string, client: string): void {
    this.touches.add(keyId, client);
  }

  /** Reads all again, now; resolves when what was changed before the call is in effect. Never rejects. */
  async refresh(): Promise<void> {
    if (this.reading) {
      this.readAgain = true;
      return this.reading;
    }
    this.reading = this.readUntilQuiet().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** Calls `watch` after each change that took effect; answers with how to end it. */
  onChange(watch: () => void): () => void {
    this.watchers.add(watch);
    return () => this.watchers.delete(watch);
  }

  private async readUntilQuiet(): Promise<void> {
    do {
      this.readAgain = false;
      await this.read().catch(() => {});
    } while (this.readAgain);
  }

  private async read(): Promise<void> {
    const rows = await readRows(this.prisma);
    this.seenAt = performance.now();
    this.rows = { ...rows, learned: this.findings.over(rows.learned) };
    useOwnSecrets(rows.ownSecrets);
    this.rebuild();
  }

  private async poll(): Promise<void> {
    try {
      const version = await readVersion(this.prisma);
      this.seenAt = performance.now();
      if (version !== this.rows.version) await this.refresh();
      else if (this.snapshot.nextExpiry && this.snapshot.nextExpiry <= new Date()) this.rebuild();
      await this.write();
      await this.touches.write();
    } catch {
      // The store is away; `stale` tells after the grace.
    }
  }

  private async write(): Promise<void> {
    await this.findings.write().catch(() => {});
  }

  private rebuild(): void {
    this.snapshot = buildSnapshot(this.rows, this.options, new Date());
    for (const watch of this.watchers) watch();
  }
}
