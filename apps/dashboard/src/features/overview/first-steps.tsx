import { Anchor, Box, Text, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAddress } from '../../lib/address.ts';
import { formatAgo } from '../../lib/format.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { useNow } from '../../lib/now.ts';
import { type Period, periodText } from '../../lib/period.ts';
import { Copy } from '../../ui/copy-field.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import css from './first-steps.module.css';
import { type Checklist, checklistQuery } from './queries.ts';

/**
 * The three steps to a first request, and a light that turns on with it; `compact` where other things are shown too,
 * `untilCalled` where they are shown only until the first tool call.
 */
export function FirstSteps({
  compact = false,
  untilCalled = false,
  period,
}: {
  compact?: boolean;
  untilCalled?: boolean;
  period?: Period;
}) {
  const list = useQuery(checklistQuery);
  const address = useAddress();
  if (list.isError && !list.data) return <Problem error={list.error} />;
  if (!list.data) return compact || untilCalled ? null : <LoadingRows rows={4} />;
  const { data } = list;
  if (untilCalled && data.call) return null;
  return (
    <section aria-label="First steps">
      {!compact && (
        <Box mb="md">
          <Title order={2}>
            {data.request && period ? `No requests in ${periodText(period)}` : 'Three steps to the first tool call'}
          </Title>
          {data.request && (
            <Anchor component="button" type="button" onClick={() => address.set({ range: '30d' })}>
              Show the last 30 days
            </Anchor>
          )}
        </Box>
      )}
      {compact && (
        <Title order={2} mb="xs">
          Connect your own model
        </Title>
      )}
      <ol className={css.steps}>
        <Step n={1} done={data.upstream} title="Add an upstream">
          <Anchor component={Link} to="/upstreams?add=yes" inherit>
            {data.upstream ? 'Add another model server' : 'Connect your model server'}
          </Anchor>
          : vLLM, LM Studio, Ollama, llama.cpp, SGLang.
        </Step>
        <Step n={2} done={data.key} title="Create a key">
          <Anchor component={Link} to="/keys?issue=one" inherit>
            Create a key
          </Anchor>{' '}
          for yourself or a colleague. It is shown once.
        </Step>
        <Step n={3} done={data.request} title="Paste into a client">
          Base URL <code>{data.baseUrl}</code> <Copy value={data.baseUrl} label="base URL" /> and the key, in Cline,
          Kilo or any OpenAI client.
          {isLoopback(data.baseUrl) && ' This address works only on the machine that runs Callsmith.'}
        </Step>
      </ol>
      <Light list={data} />
    </section>
  );
}

const Step = (props: { n: number; done: boolean; title: string; children: ReactNode }) => (
  <li className={`${css.step} ${props.done ? css.done : ''}`}>
    <span className={css.number}>
      {props.done ? <IconCheck size={15} stroke={2.5} role="img" aria-label="Done" /> : props.n}
    </span>
    <div>
      <Text fw={600}>{props.title}</Text>
      <Text fz="sm" c="dimmed" component="div">
        {props.children}
      </Text>
    </div>
  </li>
);

/** Waits for the first request; shows the newest one, and why it was refused if it was. */
function Light({ list: { lastContact, request, call } }: { list: Checklist }) {
  const now = useNow(1_000);
  const state = lastContact ? (lastContact.accepted ? css.reached : css.refused) : css.waiting;
  return (
    <div className={css.light}>
      <span className={`${css.lamp} ${state}`} />
      <span>
        <span role="status">
          {lastContact ? contactText(lastContact) : `Waiting for the ${request ? 'next' : 'first'} request…`}
          {request && !call && ' No tool call yet: ask it to read a file.'}
        </span>
        {lastContact && (
          <Text c="dimmed" component="span" inherit>
            {' '}
            ({formatAgo(lastContact.at, now)})
          </Text>
        )}
      </span>
    </div>
  );
}

function contactText({ client, accepted, say }: NonNullable<Checklist['lastContact']>): string {
  const who = client === 'other' ? 'A client' : client.charAt(0).toUpperCase() + client.slice(1);
  return accepted ? `${who} connected and received a response.` : `${who} connected, but was refused with ${say}`;
}
