import { Button, Group, Modal, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddress } from '../../../lib/address.ts';
import { plural } from '../../../lib/format.ts';
import { type Period, periodText } from '../../../lib/period.ts';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import { DialectSelect } from './dialect-select.tsx';
import { manyReplay, type Replay, recordedDialect } from './queries.ts';
import { changesText, replayCounts } from './replay-counts.ts';
import { ReplayTable } from './replay-table.tsx';

/** What the address says while nothing is chosen yet. */
const choosing = 'choose';

/** The stored model output of the listed requests, parsed by the current parser. */
export function ReparseMany({
  period,
  filter,
  onClose,
}: {
  period: Period;
  filter: Parameters<typeof manyReplay>[1];
  onClose: () => void;
}) {
  const address = useAddress();
  const requestedDialect = address.get('replay') ?? choosing;
  const [dialect, setDialect] = useState(requestedDialect === choosing ? recordedDialect : requestedDialect);
  const replay = useQuery({ ...manyReplay(period, filter, requestedDialect), enabled: requestedDialect !== choosing });
  return (
    <Modal opened onClose={onClose} title="Re-parse" size={960}>
      <Stack>
        <Text fz="sm">
          Parses the stored model output of the newest 200 listed requests in {periodText(period)} with the current
          parser. No model is called and nothing is changed. Every re-parse is logged in the audit log.
        </Text>
        <Group gap="xs">
          <DialectSelect value={dialect} onChange={setDialect} />
          <Button
            size="xs"
            loading={replay.isFetching}
            data-autofocus
            onClick={() => (dialect === requestedDialect ? void replay.refetch() : address.set({ replay: dialect }))}
          >
            Re-parse
          </Button>
        </Group>
        {replay.isFetching && <LoadingRows rows={5} />}
        {replay.isError && !replay.isFetching && <Problem error={replay.error} />}
        {replay.data && !replay.isFetching && <Result replay={replay.data} again={requestedDialect} />}
      </Stack>
    </Modal>
  );
}

function Result({ replay: { rows, more }, again }: { replay: Replay; again: string }) {
  const address = useAddress();
  const all = address.get('differ') !== 'yes';
  if (rows.length === 0)
    return (
      <Text c="dimmed" role="status">
        {more
          ? 'None of the newest of these requests has stored model output. Choose an earlier time range to look further back.'
          : 'None of these requests has stored model output.'}
      </Text>
    );
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text fz="sm" fw={600} role="status">
          {plural(rows.length, 'response')} re-parsed{more && ', there may be more'}: {changesText(replayCounts(rows))}.
        </Text>
        <Switch
          size="xs"
          label="Only differences"
          checked={!all}
          onChange={(event) => address.set({ differ: event.currentTarget.checked ? 'yes' : null })}
        />
      </Group>
      <ReplayTable rows={all ? rows : rows.filter(({ differences }) => differences.length > 0)} again={again} />
    </>
  );
}
