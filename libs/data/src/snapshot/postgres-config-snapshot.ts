import { change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { useOwnSecrets } from '../redaction/redact.ts';
import { DEMO_OVER_SETTING } from '../seed/remove-demo.ts';
import { DEFAULT_SETTINGS, type InstallationSettings } from '../settings/installation-settings.ts';
import { ChangeListener } from './change-listener.ts';
import { buildConfigIndex, type ConfigIndex, type ConfigIndexOptions } from './config-index.ts';
import { type ConfigRows, readConfigRows, readConfigVersion } from './config-rows.ts';
import type { ConfigSnapshot, KeyEntry, Lesson, ModelEntry } from './config-snapshot.ts';
import { KeyUses } from './key-uses.ts';
import { Lessons } from './lessons.ts';

export interface ConfigSnapshotOptions extends ConfigIndexOptions {
  readonly databaseUrl: string;
  /** How long keys and models are served from memory while the store is unreachable. */
  readonly graceMs: number;
  /** How often the count of changes is polled, in case a notification was lost. */
  readonly pollMs: number;
}

const EMPTY: ConfigRows = {
  version: -1,
  keys: [],
  budgets: [],
  models: [],
  upstreams: [],
  learned: [],
  stays: [],
  experiments: [],
  settings: DEFAULT_SETTINGS,
  ownSecrets: [],
  demoOver: true,
};

/** The config snapshot of Postgres: kept in memory, reloaded on every change. */
export class PostgresConfigSnapshot implements ConfigSnapshot {
  private rows = EMPTY;
  private index: ConfigIndex;
  private readonly listener: ChangeListener;
  private readonly lessons: Lessons;
  private readonly keyUses: KeyUses;
  /** Keys whose hash is being written. */
  private readonly rehashing = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private readAgain = false;
  /** When the store last answered. */
  private seenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly prisma: PrismaService,
    private readonly options: ConfigSnapshotOptions,
  ) {
    this.index = buildConfigIndex(EMPTY, options, new Date());
    this.listener = new ChangeListener(options.databaseUrl, () => void this.refresh());
    this.lessons = new Lessons(prisma);
    this.keyUses = new KeyUses(prisma);
  }

  /** Loads everything once, then follows changes. Throws if the store does not answer. */
  async start(): Promise<void> {
    await this.read();
    await this.listener.start();
    this.timer = setInterval(() => void this.poll(), this.options.pollMs).unref();
  }

  /** Stops listening and writes what is pending. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.listener.stop();
    await this.reading?.catch(() => {});
    await Promise.all([this.lessons.write(), this.keyUses.write()]).catch(() => {});
  }

  key(hash: string): KeyEntry | undefined {
    const entry = this.index.keys.get(hash);
    return entry?.expiresAt && entry.expiresAt.getTime() <= Date.now() ? undefined : entry;
  }

  model(name: string): ModelEntry | undefined {
    return this.index.byName.get(name);
  }

  models(): readonly ModelEntry[] {
    return this.index.models;
  }

  /** Sampling and retention in effect. */
  get settings(): InstallationSettings {
    return this.rows.settings;
  }

  get stale(): boolean {
    return performance.now() - this.seenAt > this.options.graceMs;
  }

  /** Milliseconds since the store last answered; 0 while it works. */
  get awayMs(): number {
    const away = performance.now() - this.seenAt;
    return away > 3 * this.options.pollMs ? away : 0;
  }

  learn(lesson: Lesson): void {
    const row = this.lessons.add(lesson);
    if (!row) return;
    this.rows = {
      ...this.rows,
      learned: [...this.rows.learned.filter((other) => !this.lessons.same(other, row)), row],
    };
    this.rebuild();
    void this.write();
  }

  /** Writes pending lessons now instead of a moment later. Throws if the store refuses them. */
  async writeLessons(): Promise<void> {
    // A running write does not include what was learned meanwhile.
    await this.lessons.write();
    await this.lessons.write();
  }

  /** Demo models are listed, and no other model was used yet. */
  get demoOnly(): boolean {
    return this.index.demoOnly;
  }

  touch(keyId: string, client: string, model: Pick<ModelEntry, 'demo'>): void {
    this.keyUses.add(keyId, client);
    if (!this.rows.demoOver && !model.demo) this.endDemo();
  }

  /** Stores that a model other than the demo's was used. If the store is unreachable, the next such request retries. */
  private endDemo(): void {
    this.rows = { ...this.rows, demoOver: true };
    const [name, value] = [DEMO_OVER_SETTING, true];
    change(this.prisma, (tables) =>
      tables.setting.upsert({ where: { name }, create: { name, value }, update: { value } }),
    )
      .catch(() => {})
      .finally(() => void this.refresh());
  }

  rehash(keyId: string, hash: string): void {
    if (this.rehashing.has(keyId)) return;
    this.rehashing.add(keyId);
    // If the store is unreachable, the key's next use retries.
    change(this.prisma, (tables) => tables.apiKey.updateMany({ where: { id: keyId }, data: { hash } }))
      .catch(() => {})
      .finally(() => this.rehashing.delete(keyId));
  }

  /** Reloads everything now; resolves when what was changed before the call is in effect. Never rejects. */
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

  private async readUntilQuiet(): Promise<void> {
    do {
      this.readAgain = false;
      await this.read().catch(() => {});
    } while (this.readAgain);
  }

  private async read(): Promise<void> {
    const rows = await readConfigRows(this.prisma);
    this.seenAt = performance.now();
    this.rows = { ...rows, learned: this.lessons.withUnwritten(rows.learned) };
    useOwnSecrets(rows.ownSecrets);
    this.rebuild();
  }

  private async poll(): Promise<void> {
    try {
      const version = await readConfigVersion(this.prisma);
      this.seenAt = performance.now();
      if (version !== this.rows.version) await this.refresh();
      else if (this.index.nextExpiry && this.index.nextExpiry <= new Date()) this.rebuild();
      await this.write();
      await this.keyUses.write();
    } catch {
      // The store is unreachable; `stale` reports it after the grace period.
    }
  }

  private async write(): Promise<void> {
    await this.lessons.write().catch(() => {});
  }

  private rebuild(): void {
    this.index = buildConfigIndex(this.rows, this.options, new Date());
  }
}
