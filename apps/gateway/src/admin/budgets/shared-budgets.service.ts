import type { api, Budget, BudgetPeriod, InputOf } from '@callsmith/contracts';
import { type BudgetRow, listBudgets, putBudget } from '@callsmith/data/budgets';
import { PrismaService } from '@callsmith/data/database';
import { budgetsIn } from '@callsmith/data/limits';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { findTeam } from '@callsmith/data/teams';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { type Caller, confinedTo, isAtLeast, refuseOtherTeam } from '../access/caller.ts';
import { Budgets } from '../stats/budgets.service.ts';

type Asked = NonNullable<InputOf<typeof api.budgets.put>['body']>;

/** Budgets that several keys share: those of a team, or of an owner in it. */
@Injectable()
export class SharedBudgetsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly used: Budgets,
  ) {}

  async list(caller: Caller): Promise<{ items: Budget[] }> {
    const rows = await listBudgets(this.prisma, confinedTo(caller));
    const items: Budget[] = [];
    for (const row of rows) items.push(await this.#view(row));
    return { items };
  }

  /** A team's budget is for admins, so that no one raises a budget that applies to themselves. */
  async put({ teamId, holder, tokenBudget, spendBudget, budgetPeriod }: Asked, caller: Caller): Promise<Budget | null> {
    refuseOtherTeam(caller, teamId, 'team');
    if (!(await findTeam(this.prisma, teamId))) throw new Fault('not_found', 'Team not found.', { param: 'teamId' });
    if (holder === null && !isAtLeast(caller.role, 'admin'))
      throw new Fault(
        'forbidden',
        'Only admins can set the budget of a team. You can set those of owners in your team.',
      );
    const terms =
      tokenBudget === null && spendBudget === null
        ? null
        : { tokenBudget: count(tokenBudget), spendBudget: count(spendBudget), budgetPeriod };
    const row = await putBudget(this.prisma, { actor: caller.actor }, { teamId, holder: holder ?? '' }, terms);
    await this.snapshot.refresh();
    return row && this.#view(row);
  }

  async #view(row: BudgetRow): Promise<Budget> {
    const { tokens, spend } = await this.used.used(budgetsIn(row.holder === '' ? 'team' : 'owner', row));
    return {
      teamId: row.teamId,
      teamName: row.team.name,
      holder: row.holder === '' ? null : row.holder,
      tokenBudget: row.tokenBudget === null ? null : Number(row.tokenBudget),
      spendBudget: row.spendBudget === null ? null : Number(row.spendBudget),
      budgetPeriod: row.budgetPeriod as BudgetPeriod,
      tokensUsed: tokens?.used ?? null,
      spendUsed: spend?.used ?? null,
    };
  }
}

const count = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
