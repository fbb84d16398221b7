import type { TurnDetail } from '@callsmith/contracts';
import { ActionIcon, Button, Group, Slider, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';
import { formatCount } from '../../lib/format.ts';
import { chunkCount, firstChunks } from './chunks.ts';
import { Lane } from './lane.tsx';
import { Raw, rawText } from './raw.tsx';

/** The model output, whole and marked, or as it came: chunk by chunk. The chunk is in the URL. */
export function ModelOutput({ body: { raw, notes } }: { body: NonNullable<TurnDetail['body']> }) {
  const address = useAddress();
  const total = chunkCount(raw);
  const requestedChunk = Number(address.get('chunk') ?? Number.NaN);
  const shown = total > 1 && requestedChunk >= 1 ? Math.min(Math.trunc(requestedChunk), total) : null;
  const show = (chunk: number | null) => address.set({ chunk: chunk === null ? null : String(chunk) });
  return (
    <Lane
      title="Model output"
      copy={rawText(raw)}
      aside={
        total > 1 && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-pressed={shown !== null}
            onClick={() => show(shown === null ? total : null)}
          >
            {shown === null ? `${formatCount(total)} chunks` : 'Full output'}
          </Button>
        )
      }
      under={shown !== null && <Chunks shown={shown} total={total} onShow={show} />}
    >
      <Raw raw={shown === null ? raw : firstChunks(raw, shown)} notes={shown === null ? notes : []} />
    </Lane>
  );
}

const Chunks = (props: { shown: number; total: number; onShow: (chunk: number) => void }) => {
  const { shown, total, onShow } = props;
  return (
    <Group gap={6} px={10} py={6} wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={shown <= 1}
        onClick={() => onShow(shown - 1)}
        aria-label="Previous chunk"
      >
        <IconChevronLeft size={16} aria-hidden="true" />
      </ActionIcon>
      <Slider flex={1} size="sm" min={1} max={total} value={shown} onChange={onShow} label={null} thumbLabel="Chunk" />
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={shown >= total}
        onClick={() => onShow(shown + 1)}
        aria-label="Next chunk"
      >
        <IconChevronRight size={16} aria-hidden="true" />
      </ActionIcon>
      <Text fz="xs" c="dimmed" miw={64} ta="right" role="status">
        {formatCount(shown)} of {formatCount(total)}
      </Text>
    </Group>
  );
};
