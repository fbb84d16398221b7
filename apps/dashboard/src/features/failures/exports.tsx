import type { ExportFormat, TurnExport } from '@callsmith/contracts';
import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { formatCount } from '../../lib/format.ts';
import { boundsOf, type Period, periodText } from '../../lib/period.ts';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { RelativeTime, Timestamp } from '../../ui/timestamp.tsx';
import { exportFile, exportsQuery, type Filter } from './queries.ts';

/** Files of more requests than one download sends: prepared in the background, kept for a day. */
export function Exports({
  period,
  filter,
  all,
  onClose,
}: {
  period: Period;
  filter: Filter;
  all: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const files = useQuery(exportsQuery);
  const shown = () => queryClient.invalidateQueries({ queryKey: exportsQuery.queryKey });
  const prepare = useMutation({
    mutationFn: (format: ExportFormat) =>
      client.exports.create({
        body: { ...boundsOf(period), ...filter, ...(all ? {} : { failures: 'true' as const }), format },
      }),
    onSuccess: shown,
  });
  const remove = useMutation({
    mutationFn: (id: string) => client.exports.remove({ params: { id } }),
    onSuccess: shown,
  });
  const problem = prepare.error ?? remove.error ?? files.error;
  return (
    <Modal opened onClose={onClose} title="Export all" size="lg">
      <Stack>
        <Text fz="sm">
          Exports every request in the list for {periodText(period)}, up to 5,000,000, without message content. The file
          is prepared in the background, kept for one day, and visible only to you.
        </Text>
        <Group gap="xs">
          <Button size="xs" loading={prepare.isPending} onClick={() => prepare.mutate('csv')} data-autofocus>
            Prepare CSV
          </Button>
          <Button size="xs" variant="default" loading={prepare.isPending} onClick={() => prepare.mutate('json')}>
            Prepare JSON
          </Button>
        </Group>
        {problem && <Problem error={problem} />}
        {files.isPending && <LoadingRows rows={2} />}
        {files.data?.items.map((file) => (
          <Group key={file.id} justify="space-between" gap="xs">
            <div>
              <Text fz="sm">
                {file.format.toUpperCase()}, <Timestamp at={file.from} /> to <Timestamp at={file.to} />
              </Text>
              <Text fz="xs" c="dimmed">
                {stateText(file)}, requested <RelativeTime at={file.createdAt} />
              </Text>
            </div>
            <Group gap="xs">
              {file.state === 'ready' && (
                <Anchor href={exportFile(file.id)} download fz="sm">
                  Download
                </Anchor>
              )}
              <Button size="xs" variant="subtle" color="gray" onClick={() => remove.mutate(file.id)}>
                Delete
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}

function stateText({ state, turns, whole }: TurnExport): string {
  switch (state) {
    case 'waiting':
      return 'Queued';
    case 'running':
      return `${formatCount(turns)} requests so far`;
    case 'ready':
      return whole ? `${formatCount(turns)} requests` : `The newest ${formatCount(turns)} requests; there are more`;
    case 'failed':
      return 'Failed after three attempts';
  }
}
