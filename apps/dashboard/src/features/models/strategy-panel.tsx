import type { Model } from '@callsmith/contracts';
import { Anchor, Box, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { judged } from '../../lib/outcomes.ts';
import { type Period, periodText } from '../../lib/period.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { EvidenceTable } from './evidence-table.tsx';
import { evidenceQuery, ratesFile } from './queries.ts';
import { SwitchForm } from './switch-form.tsx';
import { TrialPanel } from './trial-panel.tsx';

/** The strategies side by side, as measured, and the switch between them. */
export function StrategyPanel({ model, period }: { model: Model; period: Period }) {
  const me = useMe();
  const evidence = useQuery(evidenceQuery(model.id, period));
  const other = model.inEffect.strategyUsed === 'native' ? 'prompt' : 'native';
  return (
    <Card
      title="Strategy"
      subtitle={`How tools are passed to this model. Measured over ${periodText(period)}, with 95 % confidence intervals.`}
    >
      {evidence.isError && !evidence.data && <Problem error={evidence.error} onRetry={() => void evidence.refetch()} />}
      {evidence.isPending && <LoadingRows rows={5} />}
      {evidence.data && (
        <>
          <EvidenceTable evidence={evidence.data} inEffect={model.inEffect.strategyUsed} />
          <Anchor href={ratesFile(period, model.id)} download fz="xs">
            Rates as CSV
          </Anchor>
        </>
      )}
      {evidence.data &&
        (hasRole(me, 'admin') && model.managedBy === null ? (
          <Box mt="lg">
            <SwitchForm model={model} evidence={evidence.data} />
          </Box>
        ) : (
          <Stack mt="lg" gap="md">
            {hasRole(me, 'editor') && (
              <TrialPanel
                model={model}
                target={{ strategy: other }}
                measured={judged(evidence.data[other].counts) > 0}
              />
            )}
            <Text fz="sm" c="dimmed">
              {model.managedBy === 'file' ? (
                'The configuration file (CONFIG_FILE) sets the strategy: change it there.'
              ) : (
                <>
                  Changing the strategy requires the role <b>admin</b>.
                </>
              )}
            </Text>
          </Stack>
        ))}
    </Card>
  );
}
