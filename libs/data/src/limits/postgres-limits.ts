import type { PrismaService } from '../database/prisma.ts';
import { type Lease, type LimitStore, STREAM_LEASE_MS, type Unit, windowEnd } from './limit-store.ts';

/** Counters and stream leases in Postgres. */
export class PostgresLimits implements LimitStore {
  constructor(
    private readonly prisma: PrismaService,
    private readonly gatewayId: string,
  ) {}

  async lease(name: string, unit: Unit, want: number, limit: number): Promise<Lease> {
    const [row] = await this.prisma.$queryRaw<{ granted: number; used: number; begins: Date; clock: Date }[]>`
      SELECT granted::float8, used::float8, begins, clock
      FROM lease_counter(${name}, ${unit}, ${BigInt(want)}, ${BigInt(limit)})`;
    if (!row) throw new Error('lease_counter gave no row');
    return { granted: row.granted, used: row.used, begins: row.begins.getTime(), clock: row.clock.getTime() };
  }

  async add(name: string, unit: Unit, begins: number, amount: number): Promise<void> {
    const expiresAt = new Date(windowEnd(unit, begins) + 86_400_000);
    await this.prisma.$executeRaw`
      INSERT INTO counter (name, "window", value, expires_at)
      VALUES (${name}, ${new Date(begins)}, ${BigInt(Math.max(0, amount))}, ${expiresAt})
      ON CONFLICT (name, "window") DO UPDATE SET value = greatest(0, counter.value + ${BigInt(amount)})`;
  }

  async read(name: string, unit: Unit): Promise<number> {
    const { used } = await this.lease(name, unit, 0, 0);
    return used;
  }

  async acquireStream(leaseId: string, keyId: string, limit: number): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ taken: boolean }[]>`
      SELECT take_stream(${leaseId}, ${keyId}, ${this.gatewayId}, ${limit}::int,
        make_interval(secs => ${STREAM_LEASE_MS / 1000})) AS taken`;
    return row?.taken ?? false;
  }

  async runningStreams(keyId: string): Promise<number> {
    const [row] = await this.prisma.$queryRaw<{ running: number }[]>`
      SELECT count(*)::int AS running FROM stream_lease WHERE key_id = ${keyId} AND expires_at > clock_timestamp()`;
    return row?.running ?? 0;
  }

  async releaseStream(leaseId: string): Promise<void> {
    await this.prisma.streamLease.deleteMany({ where: { id: leaseId } });
  }

  async renewStreams(leases: readonly { readonly id: string }[]): Promise<void> {
    const ids = leases.map(({ id }) => id);
    await this.prisma.$executeRaw`
      UPDATE stream_lease SET expires_at = clock_timestamp() + make_interval(secs => ${STREAM_LEASE_MS / 1000})
      WHERE id = ANY (${ids})`;
  }
}
