import type { AlertScope } from '@callsmith/contracts';
import { alertUrl } from '../alerts/address.ts';
import {
  insertWebhook,
  newWebhookSecret,
  openWebhook,
  removeWebhook,
  sealedWebhook,
  updateWebhook,
} from '../alerts/webhooks.ts';
import type { PrismaService } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import { CannotUnseal } from '../secrets/secrets.ts';
import type { EntryOf, Section } from './section.ts';

/** Webhooks by name. The signing secret is generated here and kept when they change. */
export const alerts: Section<EntryOf<'alerts'>> = {
  secrets: ['url'],
  nameOf: ({ name }) => name,
  async rows({ prisma, secretKey }) {
    const rows = await prisma.webhook.findMany({ orderBy: { name: 'asc' } });
    const names = await namesIn(prisma);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      managed: row.managedBy === 'file',
      active: row.enabled,
      fields: {
        url: opened(secretKey, row).url ?? null,
        enabled: row.enabled,
        format: row.format,
        triggers: row.triggers,
        scope: names.scopeNamed(row.scope as unknown as AlertScope),
        quietHours: row.quietHours,
        timeZone: row.timeZone,
        weeklyDigest: row.weeklyDigest,
      },
    }));
  },
  rowOf: (_, { name }, rows) => rows.find((row) => row.name === name),
  fieldsOf: ({ url, name: _, ...fields }) => ({ url: alertUrl(url, fields.format), ...fields }),
  async put({ prisma, by, secretKey }, { name, url, scope, ...fields }, row) {
    const names = await namesIn(prisma);
    const kept = row && (await prisma.webhook.findUniqueOrThrow({ where: { id: row.id } }));
    const { secret } = kept ? opened(secretKey, kept) : {};
    const place = sealedWebhook(secretKey, { url: alertUrl(url, fields.format), secret: secret ?? newWebhookSecret() });
    const data = {
      ...fields,
      scope: names.scopeOf(scope),
      ...place,
      managedBy: 'file',
    };
    if (row === undefined) await insertWebhook(prisma, by, { ...data, id: newId('hook'), name });
    else await updateWebhook(prisma, by, row.id, data);
  },
  without: 'disable',
  async disable({ prisma, by }, { id }) {
    await updateWebhook(prisma, by, id, { enabled: false });
  },
  remove: ({ prisma, by }, { id }) => removeWebhook(prisma, by, id),
};

/** Converts ids of models and teams to names, and back. */
async function namesIn(prisma: PrismaService) {
  const [models, teams] = await Promise.all([
    prisma.model.findMany({ where: { removedAt: null }, select: { id: true, name: true } }),
    prisma.team.findMany({ select: { id: true, name: true } }),
  ]);
  return {
    /** A deleted one is shown by its id. */
    scopeNamed: (scope: AlertScope): AlertScope => ({
      models: scope.models.map((id) => models.find((one) => one.id === id)?.name ?? id),
      teams: scope.teams.map((id) => teams.find((one) => one.id === id)?.name ?? id),
      clients: scope.clients,
    }),
    /** Of existing names: others were refused before. */
    scopeOf: (scope: AlertScope): AlertScope => ({
      models: models.filter(({ name }) => scope.models.includes(name)).map(({ id }) => id),
      teams: teams.filter(({ name }) => scope.teams.includes(name)).map(({ id }) => id),
      clients: scope.clients,
    }),
  };
}

/** Its address and secret; none if they were encrypted under another SECRET_KEY. */
function opened(secretKey: string, row: Parameters<typeof openWebhook>[1]): { url?: string; secret?: string } {
  try {
    return openWebhook(secretKey, row);
  } catch (problem) {
    if (problem instanceof CannotUnseal) return {};
    throw problem;
  }
}
