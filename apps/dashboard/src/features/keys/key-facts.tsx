import type { Key } from '@callsmith/contracts';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Period } from '../../lib/period.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Ago, Moment } from '../../ui/moment.tsx';
import { BudgetFact } from '../usage/budget-fact.tsx';
import { RotationText } from './rotation-text.tsx';
import { Limits, State } from './terms.tsx';

/** Whose a key is, what it may do, when it was used last and when it is to be rotated. */
export const KeyFacts = ({ of: key, period }: { of: Key; period: Period }) => (
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
        ['State', <State key="state" of={key} />],
        ['Rotation', <RotationText key="rotation" of={key} />],
        ['Models', key.allowedModels ? key.allowedModels.join(', ') : 'all'],
        ['Limits', <Limits key="limits" of={key} />],
        ['Budget left', <BudgetFact key="budget" of={{ period, by: 'key', keyId: key.id }} />],
        ['Created', <Moment key="created" at={key.createdAt} />],
        [
          'Last used',
          key.lastUsedAt ? (
            <span key="used">
              <Ago at={key.lastUsedAt} />
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
