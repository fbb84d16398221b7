import { audit, type ChangedBy, change } from './database/change.ts';
import type { PrismaService } from './database/prisma.ts';
import type { Prisma } from './generated/prisma/client.ts';
import { newId } from './ids.ts';

const withTeam = { team: { select: { name: true } } } as const;

/** A budget of a team (`holder` is empty) or of an owner in a team, with the team's name. */
export type BudgetRow = Prisma.BudgetGetPayload<{ include: typeof withTeam }>;

/** The budget to set for a team or an owner. */
interface BudgetTerms {
  readonly tokenBudget: bigint | null;
  readonly spendBudget: bigint | null;
  readonly budgetPeriod: string;
}

/** Budgets by team and owner; `teamId` undefined: of all teams. */
export const listBudgets = (prisma: PrismaService, teamId: string | undefined): Promise<BudgetRow[]> =>
  prisma.budget.findMany({
    where: teamId === undefined ? {} : { teamId },
    include: withTeam,
    orderBy: [{ team: { name: 'asc' } }, { holder: 'asc' }],
  });

/** Sets the budget of a team (`holder` empty) or owner; `terms` null: removes it. Null: there is none now. */
export function putBudget(
  prisma: PrismaService,
  by: ChangedBy,
  of: { readonly teamId: string; readonly holder: string },
  terms: BudgetTerms | null,
): Promise<BudgetRow | null> {
  return change(prisma, async (tables) => {
    const where = { teamId_holder: { teamId: of.teamId, holder: of.holder } };
    const before = await tables.budget.findUnique({ where });
    if (terms === null && before === null) return null;
    const after =
      terms === null
        ? null
        : await tables.budget.upsert({
            where,
            create: { id: newId('bud'), ...of, ...terms },
            update: { ...terms },
            include: withTeam,
          });
    if (terms === null) await tables.budget.delete({ where });
    await audit(tables, by, {
      action: terms === null ? 'budget.remove' : 'budget.set',
      targetKind: 'team',
      targetId: of.teamId,
      teamId: of.teamId,
      before,
      after,
    });
    return after;
  });
}
