import type { BudgetPeriod } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { budgetsOf } from '@callsmith/data/keys';
import { budgetCounter, LIMIT_STORE, type LimitStore } from '@callsmith/data/limits';
import { Inject, Injectable } from '@nestjs/common';

/** A key's token budget and what is used of it in its running period; `used` is null where the counters are away. */
export interface Budget {
  readonly tokens: number;
  readonly period: BudgetPeriod;
  readonly used: number | null;
}

const AT_ONCE = 8;

/** The token budgets of keys. */
@Injectable()
export class Budgets {
  constructor(
    private readonly prisma: PrismaService,
    @Inject(LIMIT_STORE) private readonly limits: LimitStore,
  ) {}

  /** By key id; keys without a budget are left out. */
  async of(keyIds: readonly string[]): Promise<ReadonlyMap<string, Budget>> {
    const budgets = await budgetsOf(this.prisma, keyIds);
    const found = new Map<string, Budget>();
    for (let at = 0; at < budgets.length; at += AT_ONCE)
      await Promise.all(
        budgets.slice(at, at + AT_ONCE).map(async ({ id, tokens, period }) => {
          const used = await this.limits.read(budgetCounter(id), period).catch(() => null);
          found.set(id, { tokens, period, used });
        }),
      );
    return found;
  }
}
