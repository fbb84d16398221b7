import type { ProbeSize } from '@callsmith/contracts';
import { Button, Group, NumberInput, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { Folded } from '../../ui/folded.tsx';
import type { NewProbe } from './use-probes.ts';

const parts = [
  { name: 'requests', label: 'Requests', most: 10_000 },
  { name: 'tokens', label: 'Tokens', most: 100_000_000 },
  { name: 'minutes', label: 'Minutes', most: 720 },
] as const;
type Part = (typeof parts)[number]['name'];

/** What a probe may use where nothing is entered; the server has the same figures. */
const usual: Readonly<Record<ProbeSize, Readonly<Record<Part, string>>>> = {
  quick: { requests: '200', tokens: '400,000', minutes: '10' },
  full: { requests: '1,000', tokens: '2,000,000', minutes: '60' },
};

/** Chooses how much is asked and what it may use, and begins. */
export function ProbeStart({ running, onStart }: { running: boolean; onStart: (wish: NewProbe) => void }) {
  const [size, setSize] = useState<ProbeSize>('quick');
  const [budget, setBudget] = useState<Partial<Record<Part, number>>>({});
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Probe size"
          orientation="vertical"
          value={size}
          onChange={(value) => setSize(value as ProbeSize)}
          data={[
            { value: 'quick', label: 'Quick: about 2 minutes' },
            { value: 'full', label: 'Full: 115 requests per strategy' },
          ]}
        />
        <Button
          aria-disabled={running}
          // It keeps the focus while it waits, which a disabled button would lose.
          {...(running && { 'data-disabled': true })}
          onClick={() => !running && onStart({ size, budget })}
        >
          Probe
        </Button>
      </Group>
      <Folded title="Budget" refused={false}>
        <Group gap="sm">
          {parts.map(({ name, label, most }) => (
            <NumberInput
              key={name}
              label={label}
              placeholder={usual[size][name]}
              min={1}
              max={most}
              clampBehavior="strict"
              allowDecimal={false}
              hideControls
              w={130}
              value={budget[name] ?? ''}
              onChange={(value) =>
                setBudget(({ [name]: _, ...rest }) => (typeof value === 'number' ? { ...rest, [name]: value } : rest))
              }
            />
          ))}
        </Group>
      </Folded>
    </Stack>
  );
}
