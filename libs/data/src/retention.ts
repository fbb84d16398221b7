import { dropDayPartitions } from './database/partitions.ts';
import type { PrismaService } from './database/prisma.ts';
import { MINUTES_KEPT_MS } from './rollup/rolled-up-range.ts';
import type { InstallationSettings } from './settings/installation-settings.ts';
import { failStalledTrials } from './trials/trials.ts';

const DAY_MS = 86_400_000;

/**
 * Drops data after its retention period: bodies by one period, turns and calls by another, each by whole days. Daily
 * totals stay.
 */
export async function pruneRecord(
  prisma: PrismaService,
  { bodyDays, turnDays }: Pick<InstallationSettings, 'bodyDays' | 'turnDays'>,
  now: Date = new Date(),
): Promise<void> {
  const bodies = new Date(now.getTime() - bodyDays * DAY_MS);
  const turns = new Date(now.getTime() - turnDays * DAY_MS);
  const minutes = new Date(now.getTime() - MINUTES_KEPT_MS);
  await dropDayPartitions(prisma, 'turn_body', bodies > turns ? bodies : turns);
  await dropDayPartitions(prisma, 'turn', turns);
  await dropDayPartitions(prisma, 'call', turns);
  await prisma.turnRollup.deleteMany({ where: { grain: 'minute', bucket: { lt: minutes } } });
  await prisma.turnRollup.deleteMany({ where: { grain: { in: ['quarter', 'hour', 'shift'] }, bucket: { lt: turns } } });
  await prisma.findingRollup.deleteMany({ where: { grain: 'minute', bucket: { lt: minutes } } });
  await prisma.findingRollup.deleteMany({
    where: { grain: { in: ['quarter', 'hour', 'shift'] }, bucket: { lt: turns } },
  });
  await prisma.callRollup.deleteMany({ where: { bucket: { lt: turns } } });
  await prisma.mcpCallCount.deleteMany({ where: { hour: { lt: turns } } });
  await prisma.rollupMark.deleteMany({ where: { bucket: { lt: turns } } });
  await prisma.trial.deleteMany({ where: { at: { lt: turns } } });
  await prisma.upstreamHealth.deleteMany({ where: { at: { lt: new Date(now.getTime() - 7 * DAY_MS) } } });
}

/** Removes expired rows: sessions, links, what `auto` learned, stored responses, counters, stream leases. */
export async function clearExpired(prisma: PrismaService, now: Date = new Date()): Promise<void> {
  const expired = { where: { expiresAt: { lt: now } } };
  await prisma.session.deleteMany(expired);
  await prisma.keySession.deleteMany(expired);
  await prisma.oneTimeLink.deleteMany({ where: { expiresAt: { lt: new Date(now.getTime() - 7 * DAY_MS) } } });
  await prisma.learned.deleteMany(expired);
  await prisma.responseState.deleteMany(expired);
  await prisma.counter.deleteMany(expired);
  await prisma.streamLease.deleteMany(expired);
  const old = { at: { lt: new Date(now.getTime() - 30 * DAY_MS) } };
  await prisma.alertDelivery.deleteMany({ where: old });
  await prisma.recordLoss.deleteMany({ where: old });
  await prisma.turnExport.deleteMany(expired);
  await failStalledTrials(prisma);
}
