import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { budgetPeriod } from '../vocabulary.ts';

const amount = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullable();

const of = {
  teamId: z.string().min(1).max(100),
  /** The owner's name in the team's keys; null: the whole team. */
  holder: z.string().trim().min(1).max(200).nullable(),
};

const terms = {
  tokenBudget: amount,
  /** Millionths of the currency. */
  spendBudget: amount,
  /** In UTC. */
  budgetPeriod,
};

const used = z.number().nullable();

/** A budget shared by all keys of a team, or of an owner in it. */
export const budget = z.object({
  ...of,
  teamName: z.string(),
  ...terms,
  /** In the current period, reservations included; null: no such budget, or the counters are unreachable. */
  tokensUsed: used,
  spendUsed: used,
});
export type Budget = z.infer<typeof budget>;

export const budgets = {
  list: endpoint({
    method: 'GET',
    path: '/api/budgets',
    access: 'viewer',
    summary: 'Budgets of teams and of owners of keys, and what is used of them.',
    reply: z.object({ items: z.array(budget) }),
  }),
  put: endpoint({
    method: 'PUT',
    path: '/api/budgets',
    access: 'editor',
    summary: 'Sets the budget of a team (admins only) or of an owner; with neither tokens nor money, removes it.',
    body: z.strictObject({ ...of, ...terms }),
    reply: budget.nullable(),
  }),
};
