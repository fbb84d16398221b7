import {
  insertWebhook,
  newWebhookSecret,
  openWebhook,
  removeWebhook,
  sealedWebhook,
  updateWebhook,
} from '../alerts/webhooks.ts';
import { newId } from '../ids.ts';
import { CannotUnseal } from '../secrets/secrets.ts';
import { checkOutboundUrl } from '../upstreams/address.ts';
import type { EntryOf, Section } from './section.ts';

/** Webhooks by name. The secret that signs their messages is made here and stays when they change. */
export const alerts: Section<EntryOf<'alerts'>> = {
  secrets: ['url'],
  nameOf: ({ name }) => name,
  async rows({ prisma, secretKey }) {
    const rows = await prisma.webhook.findMany({ orderBy: { name: 'asc' } });
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
      },
    }));
  },
  rowOf: (_, { name }, rows) => rows.find((row) => row.name === name),
  fieldsOf: ({ url, enabled, format, triggers }) => ({ url: checkOutboundUrl(url).href, enabled, format, triggers }),
  async put({ prisma, by, secretKey }, { name, url, enabled, format, triggers }, row) {
    const kept = row && (await prisma.webhook.findUniqueOrThrow({ where: { id: row.id } }));
    const { secret } = kept ? opened(secretKey, kept) : {};
    const place = sealedWebhook(secretKey, { url: checkOutboundUrl(url).href, secret: secret ?? newWebhookSecret() });
    const data = { enabled, format, triggers, ...place, managedBy: 'file' };
    if (row === undefined) await insertWebhook(prisma, by, { ...data, id: newId('hook'), name });
    else await updateWebhook(prisma, by, row.id, data);
  },
  without: 'disable',
  async disable({ prisma, by }, { id }) {
    await updateWebhook(prisma, by, id, { enabled: false });
  },
  remove: ({ prisma, by }, { id }) => removeWebhook(prisma, by, id),
};

/** Its address and secret; none where they were sealed by another SECRET_KEY. */
function opened(secretKey: string, row: Parameters<typeof openWebhook>[1]): { url?: string; secret?: string } {
  try {
    return openWebhook(secretKey, row);
  } catch (problem) {
    if (problem instanceof CannotUnseal) return {};
    throw problem;
  }
}
