import type { StrategyChange } from '@callsmith/contracts';
import type { PrismaService } from '@callsmith/data/database';
import { listStrategyChanges } from '@callsmith/data/models';
import { emailsOf } from '@callsmith/data/users';

/** Strategy changes as the API shows them, newest first; users by their e-mail address. */
export async function strategyChanges(
  prisma: PrismaService,
  which: Parameters<typeof listStrategyChanges>[1],
): Promise<StrategyChange[]> {
  const rows = await listStrategyChanges(prisma, which);
  const emails = await emailsOf(
    prisma,
    rows.map(({ actor }) => actor),
  );
  return rows.map(({ model, at, actor, fromStrategy, toStrategy, ...rest }) => ({
    ...rest,
    at: at.toISOString(),
    model: model.name,
    fromStrategy: fromStrategy as StrategyChange['fromStrategy'],
    toStrategy: toStrategy as StrategyChange['toStrategy'],
    actor: emails.get(actor) ?? actor,
  }));
}
