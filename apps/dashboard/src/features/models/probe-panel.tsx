import type { Model, Probe, ProbeHead } from '@callsmith/contracts';
import { Alert, Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { formatCount, formatMillis, plural } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Folded } from '../../ui/folded.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { ProbeMatrix } from './probe-matrix.tsx';
import { ProbeStart } from './probe-start.tsx';
import { ProbeSupport } from './probe-support.tsx';
import { SavedCases } from './saved-cases.tsx';
import { isUnfinished, useProbes } from './use-probes.ts';
import { useSwitch } from './use-switch.ts';

/** Asks the model the same questions by several strategies and shows which one serves it best. */
export function ProbePanel({ model }: { model: Model }) {
  const me = useMe();
  const [chosen, choose] = useState<string>();
  const [search] = useSearchParams();
  // If the address opens a trial or the settings, probes are fetched only when they are opened.
  const [wanted, want] = useState(!search.has('trial') && !search.has('edit'));
  const { probes, probe, starting, cancelling, error, start, cancel } = useProbes(model, { chosen, wanted });
  const running = starting || probes?.some(isUnfinished) === true;
  return (
    <Card
      title="Probe"
      subtitle="Runs the same twenty small tasks, and the cases saved for this model, with each strategy and compares the responses. No tools are run, and nothing counts toward rates or limits."
    >
      <Stack gap="md">
        {hasRole(me, 'editor') ? (
          <ProbeStart
            running={running}
            onStart={(wish) => {
              choose(undefined);
              want(true);
              start(wish);
            }}
          />
        ) : (
          <Text fz="sm" c="dimmed">
            Starting a probe requires the role <b>editor</b>.
          </Text>
        )}
        {error && <Problem error={error} />}
        {!wanted && (
          <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} onClick={() => want(true)}>
            Show the last probe
          </Button>
        )}
        {wanted && !probes && !error && <LoadingRows rows={3} />}
        {probes?.length === 0 && !starting && <Text c="dimmed">This model has not been probed yet.</Text>}
        {probes && probes.length > 1 && <Earlier probes={probes} shown={probe?.id} onChoose={choose} />}
        {probe && isUnfinished(probe) && (
          <Group gap="sm" wrap="nowrap">
            <Progress value={(probe.done / probe.total) * 100} size="sm" aria-label="Requests answered" flex={1} />
            {hasRole(me, 'editor') && (
              <Button variant="default" size="xs" loading={cancelling} onClick={() => cancel(probe)}>
                Cancel
              </Button>
            )}
          </Group>
        )}
        <Text role="status" aria-live="polite" fz="sm">
          {probe && probeText(probe)}
        </Text>
        {probe && !isUnfinished(probe) && <Recommended model={model} probe={probe} />}
        {probe && probe.done > 0 && <ProbeMatrix probe={probe} />}
        {probe?.support && (
          <Folded title="What the server supports" refused={false}>
            <ProbeSupport support={probe.support} />
          </Folded>
        )}
        {wanted && <SavedCases model={model} />}
      </Stack>
    </Card>
  );
}

const causeTexts = {
  asked: '',
  schedule: ', scheduled',
  'engine-version': ', new engine version',
  doubt: ', failed calls',
} as const;

function Earlier({
  probes,
  shown,
  onChoose,
}: {
  probes: readonly ProbeHead[];
  shown: string | undefined;
  onChoose: (id: string) => void;
}) {
  return (
    <NativeSelect
      label="Shown"
      size="xs"
      value={shown ?? ''}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={probes.map(({ id, at, size, cause, engineVersion }) => ({
        value: id,
        label: `${new Date(at).toLocaleString()}, ${size}${causeTexts[cause]}${engineVersion ? `, engine ${engineVersion}` : ''}`,
      }))}
    />
  );
}

/** How far it is, what it used, and why it ended. */
function probeText({ state, done, total, spent, problem }: Probe): string {
  const used = `${plural(spent.requests, 'request')}, ${formatCount(spent.tokens)} tokens, ${formatMillis(spent.ms)}`;
  switch (state) {
    case 'waiting':
      return 'Queued…';
    case 'running':
      return `${done} of ${total} answered (${used})…`;
    case 'done':
      return problem ?? `Done: ${used}.`;
    case 'cancelled':
      return `Cancelled after ${done} of ${total} (${used}).`;
    case 'failed':
      return `The probe failed. ${problem ?? ''}`;
  }
}

/** The one sentence, and the change that it proposes. */
function Recommended({
  model,
  probe: { recommendation, arms, at, upstream, engineVersion, done },
}: {
  model: Model;
  probe: Probe;
}) {
  const me = useMe();
  const change = useSwitch(model);
  const navigate = useNavigate();
  const [applying, setApplying] = useState(false);
  if (!recommendation || done === 0) return null;
  const arm = recommendation.arm === null ? undefined : arms[recommendation.arm];
  const apply = async () => {
    if (!arm) return;
    setApplying(true);
    const body = {
      strategy: arm.strategy,
      ...(arm.dialect !== null && { dialect: arm.dialect }),
      ...(arm.examples !== null && { exampleCalls: arm.examples }),
      reason: `Probe: ${recommendation.sentence}`,
    };
    await change.run(body, () => void navigate(linkTo('/', { model: model.name, range: '1h' }))).catch(toastError);
    setApplying(false);
  };
  return (
    <Alert
      role="note"
      variant="light"
      color={arm ? 'blue' : 'gray'}
      title={arm ? 'Recommended' : 'No change recommended'}
    >
      <Stack gap="xs" align="flex-start">
        <span>{recommendation.sentence}</span>
        <Text span fz="xs" c="dimmed">
          {[upstream, engineVersion && `engine ${engineVersion}`].filter(Boolean).join(', ')} <Timestamp at={at} />
        </Text>
        {arm && hasRole(me, 'admin') && (
          <Button size="xs" loading={applying} onClick={() => void apply()}>
            Apply
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
