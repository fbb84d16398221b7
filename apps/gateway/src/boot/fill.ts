import type { Config } from '@callsmith/config';
import { createPrisma } from '@callsmith/data/database';
import { claimSecretKey } from '@callsmith/data/secrets';
import { type Seeded, seed } from '@callsmith/data/seed';
import { demoIsOn } from '@callsmith/data/snapshot';
import { syncEnvUpstream } from '@callsmith/data/upstreams';
import { type DemoServer, keepDemoKey } from './demo-server.ts';

/** Puts into the tables what the settings ask for. The demo key is told only while the demo is on. */
export async function fillTables(config: Config, demo: DemoServer | undefined): Promise<Seeded> {
  const prisma = createPrisma(config.databaseUrl, 2);
  try {
    const { secretKey, previousSecretKey: previous, admin, apiKey } = config;
    await claimSecretKey(prisma, { secretKey, previous });
    const seeded = await seed(prisma, { secretKey, admin, apiKey, demo: demo?.seed });
    if (seeded.demoKey !== undefined) keepDemoKey(config.dataDir, seeded.demoKey);
    await syncEnvUpstream(prisma, secretKey, config.upstream);
    const upstreams = await prisma.upstream.findMany({
      where: { removedAt: null, enabled: true },
      select: { origin: true },
    });
    return { ...seeded, demoKey: demoIsOn(upstreams, config.demo) ? seeded.demoKey : undefined };
  } finally {
    await prisma.$disconnect();
  }
}
