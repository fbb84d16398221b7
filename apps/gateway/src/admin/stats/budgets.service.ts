import type { BudgetPeriod } from '@callsmith/contracts';
import { listBudgets } from '@callsmith/data/budgets';
import { PrismaService } from '@callsmith/data/database';
import { budgetsOfKeys } from '@callsmith/data/keys';
import { budgetsIn, type KeyBudget, LIMIT_STORE, type LimitStore } from '@callsmith/data/limits';
import { Inject, Injectable } from '@nestjs/common';

/**
 * A budget in tokens or in money and its usage in the current period; `used` is null if the counters are unreachable.
 */
export interface UsedBudget {
  readonly limit: number;
  readonly period: BudgetPeriod;
  readonly used: number | null;
}

/** The budgets of a key, a team or an owner. */
export interface UsedBudgets {
  readonly tokens?: UsedBudget;
  readonly spend?: UsedBudget;
}

const AT_ONCE = 8;

/** The usage of budgets. */
@Injectable()
export class Budgets {
  constructor(
    private readonly prisma: PrismaService,
    @Inject(LIMIT_STORE) private readonly limits: LimitStore,
  ) {}

  /** By key id; keys without a budget are left out. */
  async ofKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, UsedBudgets>> {
    return this.#each([...(await budgetsOfKeys(this.prisma, keyIds))]);
  }

  /** By team id; teams without a budget are left out. */
  async ofTeams(teamIds: readonly string[]): Promise<ReadonlyMap<string, UsedBudgets>> {
    const rows = await listBudgets(this.prisma, undefined);
    const own = rows.filter(({ teamId, holder }) => holder === '' && teamIds.includes(teamId));
    return this.#each(own.map((row) => [row.teamId, budgetsIn('team', row)]));
  }

  /** The usage of some budgets of one key, team or owner. */
  async used(budgets: readonly KeyBudget[]): Promise<UsedBudgets> {
    const read = await Promise.all(
      budgets.map(async ({ unit, limit, period, counter }) => {
        const used = await this.limits.read(counter, period).catch(() => null);
        return [unit, { limit, period, used }] as const;
      }),
    );
    return Object.fromEntries(read);
  }

  async #each(
    entries: readonly (readonly [string, readonly KeyBudget[]])[],
  ): Promise<ReadonlyMap<string, UsedBudgets>> {
    const found = new Map<string, UsedBudgets>();
    for (let at = 0; at < entries.length; at += AT_ONCE)
      await Promise.all(
        entries.slice(at, at + AT_ONCE).map(async ([id, budgets]) => found.set(id, await this.used(budgets))),
      );
    return found;
  }
}
