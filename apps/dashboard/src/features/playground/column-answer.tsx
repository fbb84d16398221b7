import type { PlaygroundResult } from '@callsmith/contracts';
import { Alert, Button, Group, Loader, Menu, Stack, Text } from '@mantine/core';
import { IconFileDownload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { copyText } from '../../lib/copy-text.ts';
import { formatCount, formatMillis } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { badgeOf, OutcomeBadge } from '../../ui/outcome.tsx';
import { toast } from '../../ui/toast.ts';
import { Delivered, type DeliveredChoice, isChoices } from '../failures/delivered.tsx';
import { Findings } from '../failures/findings.tsx';
import { Lane } from '../failures/lane.tsx';
import lanes from '../failures/lanes.module.css';
import { pretty } from '../failures/pretty.ts';
import { Raw, rawText } from '../failures/raw.tsx';
import { ParseResult } from '../failures/replay/parse-result.tsx';
import type { ColumnModel } from './column-fields.tsx';
import type { ShownOutput } from './column-output.ts';
import type { Run } from './use-run.ts';

const SaveProbeCase = lazy(async () => ({ default: (await import('./save-probe-case.tsx')).SaveProbeCase }));

/**
 * What a column said: raw as the upstream sent it, parsed, and as it would be delivered. `title` names it among others;
 * `probeCase`: the request as it can be saved for the probes of the column's model; `onContinue` takes what was
 * delivered up as the next message.
 */
export function ColumnAnswer({
  title,
  output,
  state,
  testCase,
  probeCase,
  onContinue,
}: {
  title: string;
  output: ShownOutput;
  state: Run['state'];
  testCase: string | undefined;
  probeCase?: { readonly model: ColumnModel; readonly request: Readonly<Record<string, unknown>> } | undefined;
  onContinue?: (answer: DeliveredChoice) => void;
}) {
  const { raw, delivered, result } = output;
  const choices = isChoices(delivered) ? delivered : [];
  const [answer] = result ? choices : [];
  const [saving, setSaving] = useState(false);
  return (
    <Card
      title={title}
      subtitle={<span role="status">{stateText(result, state)}</span>}
      aside={
        <>
          {result && <OutcomeBadge outcome={badgeOf(result)} />}
          {!result && state === 'running' && <Loader size="xs" aria-hidden="true" />}
        </>
      }
    >
      <Stack gap="sm">
        {result?.errorMessage && (
          <Alert color="red" variant="light" title={result.errorCode}>
            <span style={{ overflowWrap: 'anywhere' }}>{result.errorMessage}</span>
          </Alert>
        )}
        <Lane title="Raw" name={`Raw, ${title}`} copy={raw.length > 0 ? raw.map(rawText).join('\n\n') : null}>
          {raw.length === 0 && <Raw raw={[]} notes={[]} />}
          {raw.map((answer, n) => (
            <div key={String(n)} className={lanes.part}>
              {raw.length > 1 && <div className={lanes.quiet}>answer {n + 1}</div>}
              {/* With several answers it is unknown which one the findings are about. */}
              <Raw raw={answer} notes={raw.length === 1 ? (result?.notes ?? []) : []} />
            </div>
          ))}
        </Lane>
        <section className={lanes.lane} aria-label={`Parsed, ${title}`}>
          <div className={lanes.head}>Parsed</div>
          <Stack gap="xs" p={10}>
            {result ? <Parsed result={result} /> : <Quiet>when the answer is complete</Quiet>}
          </Stack>
        </section>
        <Lane
          title="Delivered"
          name={`Delivered, ${title}`}
          copy={result && delivered !== null ? pretty(delivered) : null}
        >
          {result || choices.length > 0 ? <Delivered value={delivered} /> : <Quiet>nothing yet</Quiet>}
        </Lane>
        <Group gap="xs">
          {answer && onContinue && (
            <Button size="xs" variant="default" onClick={() => onContinue(answer)}>
              Continue from here
            </Button>
          )}
          {testCase !== undefined && <SaveTestCase text={testCase} />}
          {result && probeCase && (
            <Button size="xs" variant="default" onClick={() => setSaving(true)}>
              Save as probe case…
            </Button>
          )}
        </Group>
        {saving && probeCase && (
          <Suspense>
            <SaveProbeCase {...probeCase} answer={answer} onClose={() => setSaving(false)} />
          </Suspense>
        )}
      </Stack>
    </Card>
  );
}

const Quiet = ({ children }: { children: string }) => <span className={lanes.quiet}>{children}</span>;

function Parsed({ result }: { result: PlaygroundResult }) {
  const { outcome, errorCode, classes, calls, notes } = result;
  return (
    <>
      <ParseResult of={{ outcome, errorCode, classes: [...classes], calls }} />
      {calls.length === 0 && (
        <Text fz="xs" c="dimmed">
          no calls
        </Text>
      )}
      {notes.length > 0 && <Findings notes={notes} />}
    </>
  );
}

function stateText(result: PlaygroundResult | undefined, state: Run['state']): string {
  if (!result) return { running: 'Running…', stopped: 'Stopped.', over: 'Ended early.' }[state];
  const { strategyUsed, dialect, upstream, inputTokens, outputTokens, firstTokenMs, totalMs } = result;
  return [
    strategyUsed && `${strategyUsed}${dialect && dialect !== 'auto' ? `, ${dialect}` : ''}`,
    upstream && `upstream ${upstream}`,
    inputTokens !== null && `${formatCount(inputTokens)} tokens in`,
    outputTokens !== null && `${formatCount(outputTokens)} out`,
    firstTokenMs !== null && `first token after ${formatMillis(firstTokenMs)}`,
    `${formatMillis(totalMs)} in all`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** What the upstream said as a line for `callsmith parse`. */
function SaveTestCase({ text }: { text: string }) {
  const copy = async () => toast((await copyText(text)) ? 'Test case copied' : 'The browser does not allow copying');
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconFileDownload size={14} aria-hidden="true" />}>
          Save as test case…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void copy()}>Copy the JSON line</Menu.Item>
        <Menu.Item onClick={() => download('playground.jsonl', `${text}\n`)}>Download as a file</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
