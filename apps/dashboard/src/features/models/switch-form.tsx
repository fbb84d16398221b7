import { api, type Model } from '@callsmith/contracts';
import { strategyNames } from '@callsmith/turn';
import { Alert, Button, Group, Text } from '@mantine/core';
import { useNavigate } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { judged } from '../../lib/outcomes.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormContent } from '../../ui/form-content.tsx';
import type { Evidence } from './queries.ts';
import { byTable, DialectAndReason, type Strategy, StrategyChoice } from './switch-fields.tsx';
import { TrialPanel } from './trial-panel.tsx';
import { useSwitch } from './use-switch.ts';
import type { TrialTarget } from './use-trial.ts';
import { whyWorse } from './why-worse.ts';

/** Chooses strategy and dialect; says who is affected; asks why. */
export function SwitchForm({ model, evidence }: { model: Model; evidence: Evidence }) {
  const address = useAddress();
  const navigate = useNavigate();
  const change = useSwitch(model);
  const form = useApiForm({
    initialValues: {
      strategy: proposed(model, evidence, address.get('to')),
      dialect: currentDialect(model),
      reason: null as string | null,
    },
    schema: api.models.change.body,
    bodyOf({ strategy, dialect, reason }) {
      const why = (reason ?? evidence.reason).trim();
      return {
        strategy,
        ...(dialect !== currentDialect(model) && { dialect: dialect === byTable ? null : dialect }),
        ...(why && { reason: why }),
      };
    },
    send: (body) => change.run(body, () => void navigate(linkTo('/', { model: model.name, range: '1h' }))),
    onSaved: () => form.setFieldValue('reason', null),
  });
  const { strategy, dialect } = form.values;
  const same = strategy === model.strategy.value && dialect === currentDialect(model);
  const tried = triedBy(model, strategy, dialect);
  return (
    <FormContent
      form={form}
      leaving="page"
      fields={
        <>
          <StrategyChoice form={form} current={model.strategy.value} />
          <WorseWarning warning={whyWorse(evidence, model.inEffect.strategyUsed, strategy)} />
          <DialectAndReason form={form} model={model} reason={evidence.reason} />
          <TrialPanel model={model} target={tried} measured={judged(evidence[tried.strategy].counts) > 0} />
        </>
      }
    >
      <Group justify="space-between">
        <Text fz="sm" c="dimmed">
          {affected(evidence)}
        </Text>
        <Button type="submit" loading={form.running} disabled={same}>
          {strategy === model.strategy.value ? 'Save' : `Switch to ${strategy}`}
        </Button>
      </Group>
    </FormContent>
  );
}

/** Says before a switch that the strategy was worse, as measured. */
const WorseWarning = ({ warning }: { warning: string | null }) =>
  warning && (
    <Alert color="red" variant="light" role="alert" title="Worse so far">
      {warning}
    </Alert>
  );

// What is chosen; where that is in effect already, or leaves the choice to the gateway, the other side.
function triedBy(model: Model, strategy: Strategy, dialect: string): TrialTarget {
  const { strategyUsed } = model.inEffect;
  const other = strategyUsed === 'native' ? 'prompt' : 'native';
  if (dialect !== currentDialect(model))
    return { strategy: strategy === 'auto' ? other : strategy, dialect: dialect === byTable ? null : dialect };
  return { strategy: strategy === 'auto' || strategy === strategyUsed ? other : strategy };
}

const currentDialect = (model: Model) => (model.dialect.source === 'declared' ? model.dialect.value : byTable);

// The address may ask for one (from a failure); else the better side, else what is set.
function proposed(model: Model, evidence: Evidence, requested: string | undefined): Strategy {
  const named = strategyNames.find((name) => name === requested);
  if (named) return named;
  if (evidence.better && evidence.better !== model.inEffect.strategyUsed) return evidence.better;
  return model.strategy.value;
}

function affected({ affected: { keys, teams, requestsPerHour } }: Evidence): string {
  if (keys === 0) return 'No key uses this model right now. Takes effect with the next request.';
  const rate = requestsPerHour < 10 ? Math.round(requestsPerHour * 10) / 10 : formatCount(requestsPerHour);
  return `Affects ${plural(keys, 'key')} of ${plural(teams, 'team')}, about ${rate} requests per hour, starting with the next request.`;
}
