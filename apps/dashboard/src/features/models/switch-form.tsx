import { api, type Model } from '@callsmith/contracts';
import { Button, Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { to, useAddress } from '../../lib/address.ts';
import { dialectsQuery } from '../../lib/dialects.ts';
import { useForm } from '../../lib/form.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { judged } from '../../lib/outcomes.ts';
import { Problem } from '../../ui/states.tsx';
import type { Evidence } from './queries.ts';
import css from './strategy-panel.module.css';
import { TrialPanel } from './trial-panel.tsx';
import { useSwitch } from './use-switch.ts';
import type { TrialTarget } from './use-trial.ts';

type Strategy = Model['strategy']['value'];

const choices: readonly { value: Strategy; say: string }[] = [
  { value: 'native', say: 'The model server handles tools; its output is validated.' },
  { value: 'prompt', say: 'Tools are described in the system message; calls are parsed from the text.' },
  { value: 'auto', say: 'Native, unless the server turns out not to support it.' },
];

const byTable = ' ';

/** Chooses strategy and dialect; says who is affected; asks why. */
export function SwitchForm({ model, evidence }: { model: Model; evidence: Evidence }) {
  const address = useAddress();
  const navigate = useNavigate();
  const change = useSwitch(model);
  const form = useForm({
    strategy: proposed(model, evidence, address.get('to')),
    dialect: model.dialect.source === 'declared' ? model.dialect.value : byTable,
    reason: null as string | null,
  });
  const { strategy, dialect } = form.values;
  const [choosing, setChoosing] = useState(false);
  const dialects = useQuery({ ...dialectsQuery, enabled: choosing });
  const reason = form.values.reason ?? evidence.reason;
  const same = strategy === model.strategy.value && dialect === currentDialect(model);
  const tried = triedBy(model, strategy, dialect);
  const submit = async () => {
    const body = form.check(api.models.change.body, {
      strategy,
      ...(dialect !== currentDialect(model) && { dialect: dialect === byTable ? null : dialect }),
      ...(reason.trim() && { reason: reason.trim() }),
    });
    if (!body) return;
    try {
      await change.run(body, () => void navigate(to('/', { model: model.name, range: '1h' })));
      form.set({ reason: null });
    } catch (error) {
      form.refuse(error);
    }
  };
  return (
    <form action={() => void submit()}>
      <Stack mt="lg" gap="md">
        <Radio.Group
          label="Change to"
          value={strategy}
          onChange={(value) => form.set({ strategy: value as Strategy })}
          error={form.errors.strategy}
        >
          <div className={css.choices}>
            {choices.map(({ value, say }) => (
              <Radio.Card key={value} value={value} className={css.choice ?? ''} radius="md">
                <Group gap={8} wrap="nowrap" align="flex-start">
                  <Radio.Indicator size="xs" mt={3} />
                  <div>
                    <Text fw={600}>
                      {value}
                      {value === model.strategy.value && (
                        <Text span c="dimmed" fw={400}>
                          {' '}
                          (current)
                        </Text>
                      )}
                    </Text>
                    <Text fz="xs" c="dimmed">
                      {say}
                    </Text>
                  </div>
                </Group>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <Select
            label="Dialect"
            description="Format of tool calls in text"
            data={[
              { value: byTable, label: `by model name${dialect === byTable ? ` (${model.dialect.value})` : ''}` },
              { value: 'auto', label: 'auto: all dialects are parsed' },
              ...(dialects.data?.items.map(({ name }) => name) ?? known(dialect)),
            ]}
            value={dialect}
            onFocus={() => setChoosing(true)}
            onChange={(value) => form.set({ dialect: value ?? byTable })}
            allowDeselect={false}
            searchable
            error={form.errors.dialect}
          />
          <TextInput
            label="Reason"
            description="Shown in the change log"
            value={reason}
            onChange={(event) => form.set({ reason: event.currentTarget.value })}
            error={form.errors.reason}
            maxLength={1000}
          />
        </Group>
        <TrialPanel model={model} target={tried} measured={judged(evidence[tried.strategy].counts) > 0} />
        {form.problem && <Problem error={form.problem} />}
        <Group justify="space-between">
          <Text fz="sm" c="dimmed">
            {affected(evidence)}
          </Text>
          <Button type="submit" loading={change.running} disabled={same}>
            {strategy === model.strategy.value ? 'Save' : `Switch to ${strategy}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

// What is chosen; where that is in effect already, or leaves the choice to the gateway, the other side.
function triedBy(model: Model, strategy: Strategy, dialect: string): TrialTarget {
  const { strategyUsed } = model.inEffect;
  const other = strategyUsed === 'native' ? 'prompt' : 'native';
  if (dialect !== currentDialect(model))
    return { strategy: strategy === 'auto' ? other : strategy, dialect: dialect === byTable ? null : dialect };
  return { strategy: strategy === 'auto' || strategy === strategyUsed ? other : strategy };
}

// Until somebody is about to choose, the list need not hold more than what is chosen.
const known = (dialect: string) => (dialect === byTable || dialect === 'auto' ? [] : [dialect]);

const currentDialect = (model: Model) => (model.dialect.source === 'declared' ? model.dialect.value : byTable);

// The address may ask for one (from a failure); else the better side, else what is set.
function proposed(model: Model, evidence: Evidence, asked: string | undefined): Strategy {
  if (asked === 'native' || asked === 'prompt' || asked === 'auto') return asked;
  if (evidence.better && evidence.better !== model.inEffect.strategyUsed) return evidence.better;
  return model.strategy.value;
}

function affected({ affected: { keys, teams, requestsPerHour } }: Evidence): string {
  if (keys === 0) return 'No key uses this model right now. Takes effect with the next request.';
  const rate = requestsPerHour < 10 ? Math.round(requestsPerHour * 10) / 10 : formatCount(requestsPerHour);
  return `Affects ${plural(keys, 'key')} of ${plural(teams, 'team')}, about ${rate} requests per hour, starting with the next request.`;
}
