import type { StrategyChange } from '@callsmith/contracts';
import { emailsOf, listStrategyChanges, type PrismaService } from '@callsmith/data';

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
