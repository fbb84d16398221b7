import type { AlertScope } from '@callsmith/contracts';
import { audit, type ChangedBy } from '../database/change.ts';
import type { Tables } from '../database/prisma.ts';
import { auditedWebhook } from './webhooks.ts';

/**
 * Removes a team from the alerts that are limited to it. One that was limited to it alone is switched off: without a
 * limit it would cover all teams.
 */
export async function removeTeamFromAlerts(tables: Tables, by: ChangedBy, teamId: string): Promise<void> {
  for (const webhook of await tables.webhook.findMany()) {
    const { id } = webhook;
    const scope = webhook.scope as unknown as AlertScope;
    if (!scope.teams.includes(teamId)) continue;
    const teams = scope.teams.filter((one) => one !== teamId);
    const off = teams.length === 0;
    if (off) await tables.openAlert.deleteMany({ where: { webhookId: id } });
    const after = await tables.webhook.update({
      where: { id },
      data: { scope: { ...scope, teams }, ...(off && { enabled: false }) },
    });
    await audit(
      tables,
      {
        ...by,
        reason: off
          ? 'The only team that it was limited to was deleted.'
          : 'A team that it was limited to was deleted.',
      },
      {
        action: 'webhook.change',
        targetKind: 'webhook',
        targetId: id,
        before: auditedWebhook(webhook),
        after: auditedWebhook(after),
      },
    );
  }
}
