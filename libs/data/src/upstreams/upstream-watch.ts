import { shownBaseUrl } from '@callsmith/contracts';
import type { UpstreamKind } from '@callsmith/turn';
import type { PrismaService } from '../database/prisma.ts';
import { storable } from '../record/storable.ts';
import { addressingOf } from './addressing.ts';
import { applyDiscovery } from './apply-discovery.ts';
import { type DiscoveryTarget, discover } from './discover.ts';
import type { OutgoingProxies } from './outgoing-proxy.ts';
import { Unreachable } from './request-upstream.ts';

/** The last check of an upstream. */
export interface UpstreamCheck {
  readonly upstreamId: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly ok: boolean;
  readonly at: Date;
  readonly latencyMs: number | undefined;
  /** The rest of a sentence after its URL, e.g. `connection refused`. */
  readonly error: string | undefined;
}

const EVERY_MS = 10_000;

/**
 * Checks upstreams. One that does not answer is checked again every 10 s, by one of the gateways, until its models are
 * discovered; the others are checked by the job `check-upstreams`.
 */
export class UpstreamWatch {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private checks: readonly UpstreamCheck[] = [];

  constructor(
    private readonly prisma: PrismaService,
    private readonly secretKey: string,
    private readonly proxies?: OutgoingProxies,
  ) {}

  /** Checks every upstream once, for at most `maxWaitMs`, then continues in the background. Never rejects. */
  async start(maxWaitMs = 5_000): Promise<void> {
    const first = this.checkAll().catch(() => {});
    await Promise.race([first, new Promise((done) => setTimeout(done, maxWaitMs).unref())]);
    this.timer = setInterval(() => void this.retry(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** The newest check of each upstream. */
  states(): readonly UpstreamCheck[] {
    return this.checks;
  }

  /** The problems of upstreams, a line each: `http://gpu:8000: connection refused, trying again every 10 s`. */
  problems(): string[] {
    return this.checks
      .filter(({ ok }) => !ok)
      .map(({ baseUrl, error }) => `${shownBaseUrl(baseUrl).replace(/\/v1$/, '')}: ${error}, retrying every 10 s`);
  }

  /** Checks all upstreams. */
  async checkAll(): Promise<void> {
    const upstreams = await this.prisma.upstream.findMany({
      where: { removedAt: null, enabled: true, origin: { not: 'demo' } },
      select: { id: true },
    });
    await Promise.all(upstreams.map(({ id }) => this.check(id)));
    await this.readStates();
  }

  /** Checks one upstream, stores the result and records its health. Undefined: unknown upstream. */
  async check(upstreamId: string): Promise<UpstreamCheck | undefined> {
    const row = await this.prisma.upstream.findUnique({ where: { id: upstreamId } });
    if (!row || row.removedAt) return undefined;
    const place: DiscoveryTarget = {
      ...addressingOf(row, this.secretKey),
      proxies: this.proxies,
      kind: row.kindSource === 'declared' ? ((row.kind as UpstreamKind | null) ?? undefined) : undefined,
    };
    const found = await discover(place).catch((problem: unknown) => {
      if (problem instanceof Unreachable) return problem;
      throw problem;
    });
    const health =
      found instanceof Unreachable
        ? { ok: false, latencyMs: null, error: storable(found.message.slice(0, 500)) }
        : { ok: true, latencyMs: found.latencyMs, error: null };
    if (!(found instanceof Unreachable)) await applyDiscovery(this.prisma, upstreamId, found);
    const at = new Date();
    await this.prisma.upstreamHealth.createMany({ data: [{ upstreamId, at, ...health }], skipDuplicates: true });
    return {
      upstreamId,
      name: row.name,
      baseUrl: row.baseUrl,
      ok: health.ok,
      at,
      latencyMs: health.latencyMs ?? undefined,
      error: health.error ?? undefined,
    };
  }

  private retry(): Promise<void> {
    this.running ??= this.lookAtSilent()
      .catch(() => {}) // The store is unreachable: the next check will record it.
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  private async lookAtSilent(): Promise<void> {
    const states = await this.readStates();
    const due = states.filter(({ ok, at }) => !ok && Date.now() - at.getTime() >= EVERY_MS - 1_000);
    await Promise.all(due.map(({ upstreamId }) => this.check(upstreamId)));
    if (due.length > 0) await this.readStates();
  }

  private async readStates(): Promise<readonly UpstreamCheck[]> {
    const rows = await this.prisma.upstream.findMany({
      where: { removedAt: null, enabled: true, origin: { not: 'demo' } },
      include: { health: { orderBy: { at: 'desc' }, take: 1 } },
      orderBy: { name: 'asc' },
    });
    this.checks = rows.map(({ id, name, baseUrl, health: [last] }) => ({
      upstreamId: id,
      name,
      baseUrl,
      ok: last?.ok ?? false,
      at: last?.at ?? new Date(0),
      latencyMs: last?.latencyMs ?? undefined,
      error: last ? (last.error ?? undefined) : 'not checked yet',
    }));
    return this.checks;
  }
}
