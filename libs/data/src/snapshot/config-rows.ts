import { VERSION } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { OWN_SECRETS_NAME, ownSecretsOf } from '../redaction/own-secrets.ts';
import { DEMO_OVER_SETTING } from '../seed/remove-demo.ts';
import { SETTINGS_NAME, settingsOf } from '../settings/installation-settings.ts';

/** How long conversations keep the strategy of a finished experiment. */
const STAY_MS = 86_400_000;

/** Loads everything for the config snapshot at once. */
export async function readConfigRows(prisma: PrismaService) {
  const version = await readConfigVersion(prisma);
  const [keys, budgets, models, upstreams, learned, stays, experiments, settings] = await Promise.all([
    prisma.apiKey.findMany({
      where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
      include: { team: { select: { name: true, storesBodies: true } } },
    }),
    prisma.budget.findMany(),
    prisma.model.findMany({
      where: { removedAt: null },
      include: { upstreams: { orderBy: [{ position: 'asc' }, { upstreamId: 'asc' }] } },
      orderBy: { name: 'asc' },
    }),
    prisma.upstream.findMany({ where: { removedAt: null, enabled: true } }),
    prisma.learned.findMany(),
    prisma.strategyStay.findMany({ where: { until: { gt: new Date() } } }),
    prisma.experiment.findMany({
      where: {
        OR: [{ state: 'running' }, { state: 'done', endedAt: { gt: new Date(Date.now() - STAY_MS) } }],
      },
      orderBy: { at: 'asc' },
    }),
    prisma.setting.findMany({ where: { name: { in: [SETTINGS_NAME, OWN_SECRETS_NAME, DEMO_OVER_SETTING] } } }),
  ]);
  const stored = (wanted: string) => settings.find(({ name }) => name === wanted)?.value;
  return {
    version,
    keys,
    budgets,
    models,
    upstreams,
    learned,
    stays,
    experiments,
    settings: settingsOf(stored(SETTINGS_NAME)),
    ownSecrets: ownSecretsOf(stored(OWN_SECRETS_NAME)),
    demoOver: stored(DEMO_OVER_SETTING) === true,
  };
}

export type ConfigRows = Awaited<ReturnType<typeof readConfigRows>>;
export type ModelRow = ConfigRows['models'][number];
export type UpstreamRow = ConfigRows['upstreams'][number];
export type ExperimentRow = ConfigRows['experiments'][number];
export type PinnedConversationsRow = ConfigRows['stays'][number];
export type LearnedRow = ConfigRows['learned'][number];

/** The count of changes so far. Read before the rows: what changes during the load is loaded again. */
export async function readConfigVersion(prisma: PrismaService): Promise<number> {
  const row = await prisma.setting.findUnique({ where: { name: VERSION } });
  return Number(row?.value ?? 0);
}
