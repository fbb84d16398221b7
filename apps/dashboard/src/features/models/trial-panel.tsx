import type { Model, Trial } from '@callsmith/contracts';
import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useRef } from 'react';
import { plural } from '../../lib/format.ts';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import css from './trial.module.css';
import { outcomesText, trialSums } from './trial-sums.ts';
import { TrialTable } from './trial-table.tsx';
import { hasEnded, type TrialTarget, useTrial } from './use-trial.ts';

/** Sends the last failed requests again through another strategy and shows how they come out. */
export function TrialPanel({ model, target, measured }: { model: Model; target: TrialTarget; measured: boolean }) {
  const { trial, pending, starting, cancelling, error, start, cancel } = useTrial(model);
  const button = useRef<HTMLButtonElement>(null);
  const running = starting || (trial !== undefined && !hasEnded(trial));
  return (
    <section className={css.trial} aria-labelledby="trial-title">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Title order={3} id="trial-title">
              Trial
            </Title>
            <Text fz="sm" c="dimmed">
              {measured ? '' : `No calls with ${target.strategy} yet. `}
              Sends the stored requests of the last failures through <b>{target.strategy}</b>
              {target.dialect && (
                <>
                  {' '}
                  in the dialect <b>{target.dialect}</b>
                </>
              )}
              , two at a time. No tools are run, and nothing counts toward rates or limits.
            </Text>
          </div>
          <Group gap="xs">
            <Button
              ref={button}
              variant={measured ? 'default' : 'light'}
              aria-disabled={running}
              // It keeps the focus while it waits, which a disabled button would lose.
              {...(running && { 'data-disabled': true })}
              onClick={() => !running && start(target)}
            >
              Try on the last 10 failures
            </Button>
            {trial && !hasEnded(trial) && (
              <Button
                variant="default"
                loading={cancelling}
                onClick={() => {
                  cancel(trial);
                  button.current?.focus();
                }}
              >
                Cancel
              </Button>
            )}
          </Group>
        </Group>
        {trial && !hasEnded(trial) && (
          <Progress
            value={(trialSums(trial.rows).tried / trial.rows.length) * 100}
            size="sm"
            aria-label="Requests tried"
          />
        )}
        <Text
          role="status"
          aria-live="polite"
          fz="sm"
          className={css.status ?? ''}
          {...(trial?.state === 'failed' && { c: 'var(--failed-text)' })}
        >
          {starting ? 'Starting…' : trial && trialText(trial)}
        </Text>
        {pending && <LoadingRows rows={3} />}
        {error && <Problem error={error} />}
        {trial && <TrialTable trial={trial} />}
        {trial && (
          <Text fz="xs" c="dimmed">
            {whatWasTried(trial)} A sample this small shows what can happen, not how often.
          </Text>
        )}
      </Stack>
    </section>
  );
}

function trialText(trial: Trial): string {
  const sums = trialSums(trial.rows);
  const done = `${sums.tried} of ${plural(trial.rows.length, 'request')}`;
  const through = `${outcomesText(sums.new)} with ${trial.strategy}`;
  switch (trial.state) {
    case 'waiting':
      return 'Queued…';
    case 'running':
      return `${done} tried…`;
    case 'done':
      return sums.old ? `Done: ${outcomesText(sums.old)} as recorded, ${through}.` : `Done: ${through}.`;
    case 'cancelled':
      return `Cancelled after ${done}${sums.tried > 0 ? `: ${through}` : ''}.`;
    case 'failed':
      return `The trial failed after ${done}. ${trial.problem ?? ''}`;
  }
}

function whatWasTried({ rows }: Trial): string {
  if (rows.some((row) => row.builtIn !== null))
    return 'No failed request is stored that can be tried this way, so three built-in requests were sent.';
  return rows.length < 10 ? `The requests of ${plural(rows.length, 'failure')} are stored.` : '';
}
