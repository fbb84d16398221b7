import { api, type Budget } from '@callsmith/contracts';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { formatCompact, formatMoney } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { budgetBody, noLimits } from './limits.ts';
import { BudgetFields } from './limits-fields.tsx';
import { budgetsQuery } from './queries.ts';
import { TeamSelect } from './team-select.tsx';

/** Budgets that several keys share: of teams, and of owners in them. */
export function Budgets({ onClose }: { onClose: () => void }) {
  const { currency } = useMe().installation;
  const budgets = useQuery(budgetsQuery);
  const [setting, set] = useState<Budget | 'new'>();
  if (setting) return <BudgetForm of={setting === 'new' ? undefined : setting} onClose={() => set(undefined)} />;
  return (
    <Modal opened onClose={onClose} title="Budgets of teams and owners" size="lg">
      <Stack>
        <Text fz="sm" c="dimmed">
          All keys of a team, or of an owner in it, count against its budget, in addition to their own budgets.
        </Text>
        {budgets.isLoadingError && <Problem error={budgets.error} onRetry={() => void budgets.refetch()} />}
        {budgets.isPending && <LoadingRows rows={2} />}
        {budgets.data && budgets.data.items.length > 0 && (
          <DataTable
            label="Budgets"
            rows={budgets.data.items}
            rowKey={({ teamId, holder }) => `${teamId} ${holder ?? ''}`}
            columns={columns(currency, set)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button onClick={() => set('new')}>Add budget</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const columns = (currency: string, set: (budget: Budget) => void): Column<Budget>[] => [
  { key: 'team', title: 'Team', cell: ({ teamName }) => teamName, sort: ({ teamName }) => teamName },
  {
    key: 'owner',
    title: 'Owner',
    cell: ({ holder }) => holder ?? <Text c="dimmed">whole team</Text>,
    sort: ({ holder }) => holder ?? '',
  },
  { key: 'budget', title: 'Used', cell: (budget) => <Used of={budget} currency={currency} /> },
  {
    key: 'do',
    title: 'Actions',
    untitled: true,
    right: true,
    cell: (budget) => (
      <Button size="xs" variant="subtle" onClick={() => set(budget)}>
        Change
      </Button>
    ),
  },
];

function Used({ of: budget, currency }: { of: Budget; currency: string }) {
  const { tokenBudget, tokensUsed, spendBudget, spendUsed, budgetPeriod } = budget;
  const money = (micros: number) => formatMoney(micros, currency);
  return (
    <>
      {tokenBudget !== null && (
        <div>{`${usedText(tokensUsed, formatCompact)} of ${formatCompact(tokenBudget)} tokens`}</div>
      )}
      {spendBudget !== null && <div>{`${usedText(spendUsed, money)} of ${money(spendBudget)}`}</div>}
      <Text fz="xs" c="dimmed">
        {budgetPeriod === 'day' ? 'today' : 'this month'} (UTC)
      </Text>
    </>
  );
}

const usedText = (used: number | null, format: (amount: number) => string): string =>
  used === null ? 'unknown' : format(used);

/** Sets one budget; with both amounts empty it is removed. */
function BudgetForm({ of: budget, onClose }: { of: Budget | undefined; onClose: () => void }) {
  const isAdmin = hasRole(useMe(), 'admin');
  const form = useApiForm({
    initialValues: {
      teamId: budget?.teamId ?? '',
      holder: budget?.holder ?? '',
      tokenBudget: budget?.tokenBudget ?? ('' as number | string),
      spendBudget: budget?.spendBudget == null ? ('' as number | string) : budget.spendBudget / 1_000_000,
      budgetPeriod: budget?.budgetPeriod ?? noLimits.budgetPeriod,
    },
    schema: api.budgets.put.body,
    bodyOf: (values) => ({
      teamId: values.teamId,
      holder: values.holder.trim() === '' ? null : values.holder,
      ...budgetBody(values),
      budgetPeriod: values.budgetPeriod,
    }),
    send: (body) => client.budgets.put({ body }),
    outdates: ['budgets'],
    saved: () => 'Saved. Takes effect with the next request.',
    onSaved: onClose,
  });
  return (
    <FormDialog form={form} title={budget ? 'Change budget' : 'Add budget'} action="Save" onClose={onClose}>
      {budget === undefined && (
        <>
          <TeamSelect form={form} />
          <TextInput
            label="Owner"
            description={isAdmin ? 'As written in the keys; if empty: the whole team' : 'As written in the keys'}
            {...form.getInputProps('holder')}
            data-autofocus
          />
        </>
      )}
      <BudgetFields form={form} />
      {budget && (
        <Text fz="sm" c="dimmed">
          If both amounts are empty, the budget is removed.
        </Text>
      )}
    </FormDialog>
  );
}
