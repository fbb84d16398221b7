import type { Key } from '@callsmith/contracts';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { RelativeTime, Timestamp } from '../../ui/timestamp.tsx';
import { BudgetFact } from '../usage/budget-fact.tsx';
import { KeyLimits, KeyState } from './key-state.tsx';
import { RotationText } from './rotation-text.tsx';

/** Whose a key is, what it may do, when it was used last and when it is to be rotated. */
export const KeyFacts = ({ of: key }: { of: Key }) => (
  <Card title="This key">
    <Facts
      facts={[
        ['Key', <code key="hint">{key.hint}</code>],
        [
          'Team',
          <Anchor key="team" component={Link} to={`/teams/${key.teamId}`} inherit>
            {key.teamName}
          </Anchor>,
        ],
        ['State', <KeyState key="state" of={key} />],
        ...(key.rotatedTo === null
          ? []
          : [
              [
                'Replaced by',
                <Anchor key="successor" component={Link} to={`/keys/${key.rotatedTo}`} inherit>
                  its successor
                </Anchor>,
              ] as const,
            ]),
        ['Rotation', <RotationText key="rotation" of={key} />],
        ['Models', key.allowedModels ? key.allowedModels.join(', ') : 'all'],
        ['Limits', <KeyLimits key="limits" of={key} />],
        ['Budget left', <BudgetFact key="budget" of={{ by: 'key', keyId: key.id }} unused={unusedBudgets(key)} />],
        ['Created', <Timestamp key="created" at={key.createdAt} />],
        [
          'Last used',
          key.lastUsedAt ? (
            <span key="used">
              <RelativeTime at={key.lastUsedAt} />
              {key.lastClient && ` by ${key.lastClient}`}
            </span>
          ) : (
            <Text key="used" c="dimmed" component="span">
              never
            </Text>
          ),
        ],
      ]}
    />
  </Card>
);

/** The budgets of a key that used nothing of them. */
function unusedBudgets({ tokenBudget, spendBudget, budgetPeriod: period }: Key) {
  return {
    budget: tokenBudget !== null && period ? { tokens: tokenBudget, period, used: 0 } : null,
    spendBudget: spendBudget !== null && period ? { limit: spendBudget, period, used: 0 } : null,
  };
}
