import { strategiesUsed } from '@callsmith/turn';
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCompact, formatCount, formatShare } from '../../lib/format.ts';
import { few, judged } from '../../lib/outcomes.ts';
import { RateBar, RateText, type RateValue } from '../../ui/rate.tsx';
import { Tag } from '../../ui/tag.tsx';
import type { Evidence } from './queries.ts';
import css from './strategy-panel.module.css';

type Side = (typeof strategiesUsed)[number];

/** What was measured of each side; the better one and the one in effect are named. `strict` has one only where it ran. */
export function EvidenceTable({ evidence, inEffect }: { evidence: Evidence; inEffect: Side }) {
  const sides = strategiesUsed.filter(
    (side) => side !== 'strict' || side === inEffect || judged(evidence.strict.counts) > 0,
  );
  const rates = sides.flatMap((side) => [evidence[side].failed, evidence[side].malformed, evidence[side].noCall]);
  const max = Math.max(0.05, ...rates.map((rate) => rate?.high ?? 0));
  const rate = (name: 'failed' | 'malformed' | 'noCall') => (side: Side) => (
    <Rate rate={evidence[side][name]} max={max} />
  );
  return (
    <>
      <table className={css.table}>
        <thead>
          <tr>
            <td />
            {sides.map((side) => (
              <th key={side} scope="col" className={side === inEffect ? css.current : undefined}>
                {side} {side === inEffect && <Tag kind="accent">in effect</Tag>}{' '}
                {side === evidence.better && <Tag>better</Tag>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row sides={sides} name="Failed or invalid" inEffect={inEffect} cell={rate('failed')} />
          <Row sides={sides} name="Malformed" inEffect={inEffect} cell={rate('malformed')} />
          <Row sides={sides} name="No call" inEffect={inEffect} cell={rate('noCall')} />
          <Row
            sides={sides}
            name="Arguments satisfy their schemas"
            inEffect={inEffect}
            cell={(side) => <RateText rate={evidence[side].schemaAccuracy} />}
          />
          <Row
            sides={sides}
            name="Calls when it should (F1)"
            inEffect={inEffect}
            cell={(side) => <TriggerF1 measured={evidence[side].triggerF1} />}
          />
          <Row
            sides={sides}
            name="Calls"
            inEffect={inEffect}
            cell={(side) => formatCount(judged(evidence[side].counts))}
          />
          <Row
            sides={sides}
            name="Extra prompt tokens"
            inEffect={inEffect}
            cell={(side) => {
              if (side !== 'prompt') return '–';
              const tokens = evidence.prompt.injectedTokens;
              return tokens === null ? (
                <Text c="dimmed">not measured yet</Text>
              ) : (
                `${formatCompact(tokens)} per request`
              );
            }}
          />
        </tbody>
      </table>
      <Text fz="xs" c="dimmed" mt={8}>
        Rates of fewer than {few} requests are too uncertain to compare. For the first three, lower is better; for
        schemas and F1, higher. F1 comes from the newest probe.
      </Text>
    </>
  );
}

interface RowProps {
  readonly sides: readonly Side[];
  readonly name: string;
  readonly inEffect: Side;
  readonly cell: (side: Side) => ReactNode;
}

const Row = ({ sides, name, inEffect, cell }: RowProps) => (
  <tr>
    <th scope="row">{name}</th>
    {sides.map((side) => (
      <td key={side} className={side === inEffect ? css.current : undefined}>
        {cell(side)}
      </td>
    ))}
  </tr>
);

const TriggerF1 = ({ measured }: { measured: Evidence['native']['triggerF1'] }) =>
  measured === null ? (
    <Text c="dimmed">not probed</Text>
  ) : (
    <Group gap="0 6px" align="baseline">
      <Text fw={600}>{formatShare(measured.value)}</Text>
      <Text c="dimmed" fz="xs">
        n={formatCount(measured.n)}
      </Text>
    </Group>
  );

const Rate = ({ rate, max }: { rate: RateValue | null; max: number }) => (
  <>
    <RateText rate={rate} />
    {rate && <RateBar rate={rate} max={max} />}
  </>
);
