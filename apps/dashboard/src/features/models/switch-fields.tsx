import type { Model } from '@callsmith/contracts';
import { Group, Radio, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dialectsQuery } from '../../lib/dialects.ts';
import type { ApiForm } from '../../lib/use-api-form.ts';
import css from './strategy-panel.module.css';

export type Strategy = Model['strategy']['value'];

/** A strategy and what goes with it, as they are chosen; a reason that nobody typed is null. */
export interface SwitchValues {
  readonly strategy: Strategy;
  readonly dialect: string;
  readonly reason: string | null;
}

type SwitchFields = Pick<ApiForm<SwitchValues>, 'getInputProps' | 'values'>;

/** The dialect that the table of model ids names. */
export const byTable = ' ';

const choices: readonly { value: Strategy; description: string }[] = [
  { value: 'native', description: 'The model server handles tools; its output is validated.' },
  {
    value: 'strict',
    description:
      'Constrained decoding enforces the tools’ schemas if the engine supports it: natively, otherwise in the prompt.',
  },
  { value: 'prompt', description: 'Tools are described in the system message; calls are parsed from the text.' },
  { value: 'auto', description: 'Native, unless the server turns out not to support it.' },
];

/** The strategies to choose from, each with what it does. */
export const StrategyChoice = ({ form, current }: { form: SwitchFields; current: Strategy }) => (
  <Radio.Group label="Change to" {...form.getInputProps('strategy')}>
    <div className={css.choices}>
      {choices.map(({ value, description }) => (
        <Radio.Card key={value} value={value} className={css.choice ?? ''} radius="md">
          <Group gap={8} wrap="nowrap" align="flex-start">
            <Radio.Indicator size="xs" mt={3} />
            <div>
              <Text fw={600}>
                {value}
                {value === current && (
                  <Text span c="dimmed" fw={400}>
                    {' '}
                    (current)
                  </Text>
                )}
              </Text>
              <Text fz="xs" c="dimmed">
                {description}
              </Text>
            </div>
          </Group>
        </Radio.Card>
      ))}
    </div>
  </Radio.Group>
);

/** The dialect, and why the change is made; `reason` is there until somebody types another. */
export function DialectAndReason({ form, model, reason }: { form: SwitchFields; model: Model; reason: string }) {
  const [choosing, setChoosing] = useState(false);
  const dialects = useQuery({ ...dialectsQuery, enabled: choosing });
  const { dialect } = form.values;
  return (
    <Group grow align="flex-start" preventGrowOverflow={false}>
      <Select
        label="Dialect"
        description="Format of tool calls in text"
        data={[
          { value: byTable, label: `by model name${dialect === byTable ? ` (${model.dialect.value})` : ''}` },
          { value: 'auto', label: 'auto: all dialects are parsed' },
          ...(dialects.data?.items.map(({ name }) => name) ?? initialDialects(dialect)),
        ]}
        {...form.getInputProps('dialect')}
        onFocus={() => setChoosing(true)}
        allowDeselect={false}
        searchable
      />
      <TextInput
        label="Reason"
        description="Shown in the change log"
        {...form.getInputProps('reason')}
        value={form.values.reason ?? reason}
        maxLength={1000}
      />
    </Group>
  );
}

// Until somebody is about to choose, the list need not hold more than what is chosen.
const initialDialects = (dialect: string) => (dialect === byTable || dialect === 'auto' ? [] : [dialect]);
