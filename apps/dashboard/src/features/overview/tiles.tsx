import { Box, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconClock, IconTool, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatMicros, formatPoints, formatShare, plural } from '../../lib/format.ts';
import { few, judged } from '../../lib/outcomes.ts';
import { type Period, periodBeforeText, periodText } from '../../lib/period.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import type { Overview } from './queries.ts';
import css from './tiles.module.css';

type Tile = Overview['tiles']['clean'];

/** Clean, repaired, invalid, failed, and the gateway's own overhead: each with its course and its change. */
export function Tiles({ data, period }: { data: Overview; period: Period }) {
  const { tiles, totals } = data;
  const n = judged(totals);
  const of = `of ${n < few ? 'only ' : ''}${plural(n, 'call')}`;
  const before = periodBeforeText(period);
  return (
    <section className={css.tiles} aria-label={`Outcomes in ${periodText(period)}`}>
      {shares.map((share) => (
        <ShareTile key={share.name} {...share} tile={tiles[share.outcome]} of={of} before={before} />
      ))}
      <TileBox
        name="Gateway overhead"
        icon={<IconClock size={15} />}
        value={tiles.addedP95.value === null ? '–' : formatMicros(tiles.addedP95.value)}
        change={<AddedChange tile={tiles.addedP95} />}
        spark={<Sparkline values={tiles.addedP95.spark} color="var(--accent)" />}
      />
    </section>
  );
}

/** The outcomes of calls whose shares are shown, and which way is better. */
const shares = [
  { name: 'Clean', outcome: 'clean', better: 'up', color: 'var(--clean)', icon: <IconCheck size={15} /> },
  { name: 'Repaired', outcome: 'repaired', better: 'down', color: 'var(--repaired)', icon: <IconTool size={15} /> },
  {
    name: 'Invalid',
    outcome: 'invalid',
    better: 'down',
    color: 'var(--invalid)',
    icon: <IconAlertTriangle size={15} />,
  },
  { name: 'Failed', outcome: 'failed', better: 'down', color: 'var(--failed)', icon: <IconX size={15} /> },
] as const;

function ShareTile(props: (typeof shares)[number] & { tile: Tile; of: string; before: string }) {
  const { tile, better } = props;
  const difference = tile.value !== null && tile.before !== null ? tile.value - tile.before : null;
  return (
    <TileBox
      name={props.name}
      icon={props.icon}
      value={tile.value === null ? '–' : formatShare(tile.value)}
      change={
        <>
          <span>{props.of}</span>
          {difference !== null && (
            <Text component="span" inherit c={toneOf(difference, better)}>
              {formatPoints(difference)} vs {props.before}
            </Text>
          )}
        </>
      }
      spark={<Sparkline values={tile.spark} color={props.color} />}
    />
  );
}

function toneOf(difference: number, better: 'up' | 'down'): string {
  if (Math.abs(difference) < 0.005) return 'dimmed';
  return difference > 0 === (better === 'up') ? 'var(--clean-text)' : 'var(--failed-text)';
}

const AddedChange = ({ tile }: { tile: Tile }) => (
  <>
    <span>p95 per request</span>
    {tile.before !== null && <span>was {formatMicros(tile.before)}</span>}
  </>
);

const TileBox = (props: { name: string; icon: ReactNode; value: string; change: ReactNode; spark: ReactNode }) => (
  <div className={css.tile}>
    <Group gap={6} c="dimmed" wrap="nowrap">
      {props.icon}
      <Text fz="sm" fw={550}>
        {props.name}
      </Text>
    </Group>
    <div className={css.value}>{props.value}</div>
    <Text fz="xs" c="dimmed" component="div" className={css.change ?? ''}>
      {props.change}
    </Text>
    <Box mt={6}>{props.spark}</Box>
  </div>
);
