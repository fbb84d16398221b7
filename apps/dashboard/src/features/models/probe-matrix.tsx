import type { Probe } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatMillis, formatShare } from '../../lib/format.ts';
import type { RateValue } from '../../ui/rate.tsx';
import { Tag } from '../../ui/tag.tsx';
import css from './trial.module.css';

type Arm = Probe['arms'][number];

/** What each strategy can do, what it costs, and how it did in each case. */
export function ProbeMatrix({ probe }: { probe: Probe }) {
  const { arms, cases, failures } = probe;
  const row = (name: string, cell: (arm: Arm, index: number) => ReactNode) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      {arms.map((arm, index) => (
        <td key={arm.name}>{cell(arm, index)}</td>
      ))}
    </tr>
  );
  return (
    <div style={{ overflowX: 'auto' }}>
      <table className={css.table} aria-label="Probe">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            {arms.map(({ name, inEffect }) => (
              <th key={name} scope="col">
                {name} {inEffect && <Tag kind="accent">in effect</Tag>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row('Right', ({ right }) => (
            <Share rate={right} />
          ))}
          {row('Without repair or retry', ({ clean }) => (
            <Share rate={clean} />
          ))}
          {row('Arguments satisfy their schemas', ({ schemaAccuracy }) => (
            <Share rate={schemaAccuracy} />
          ))}
          {row('Calls when it should (F1)', ({ triggerF1 }) => (triggerF1 === null ? '–' : formatShare(triggerF1)))}
          {row('Not answered', ({ refused }) => formatCount(refused))}
          {row('Tokens per request', ({ inputTokens, outputTokens }) =>
            inputTokens === null ? '–' : `${formatCount(inputTokens)} in, ${formatCount(outputTokens ?? 0)} out`,
          )}
          {row('First token', ({ firstTokenMs }) => (firstTokenMs === null ? '–' : formatMillis(firstTokenMs)))}
          {cases.map(({ case: number, title }) =>
            row(`${number}. ${title}`, ({ cases: own }, index) => (
              <CaseCell
                sum={own.find((one) => one.case === number)}
                failure={failures.find((one) => one.arm === index && one.case === number)}
              />
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** A share with its interval, however few it is of. */
const Share = ({ rate }: { rate: RateValue | null }) =>
  rate === null ? (
    '–'
  ) : (
    <>
      {formatShare(rate.value)}{' '}
      <Text span fz="xs" c="dimmed">
        {formatShare(rate.low)} to {formatShare(rate.high)}, n={formatCount(rate.n)}
      </Text>
    </>
  );

/** Right answers of a case; why the first wrong one was wrong, and what it was. */
const CaseCell = ({
  sum,
  failure,
}: {
  sum: { readonly right: number; readonly n: number } | undefined;
  failure: Probe['failures'][number] | undefined;
}) => {
  if (!sum) return '–';
  return (
    <>
      {sum.right === sum.n ? '✓' : '✗'} {sum.right} of {sum.n}
      {failure && (
        <Text fz="xs" c="dimmed" className={css.why} component="div">
          {failure.said === '' ? (
            failure.why
          ) : (
            <details>
              <summary>{failure.why}</summary>
              <span style={{ whiteSpace: 'pre-wrap' }}>{failure.said}</span>
            </details>
          )}
        </Text>
      )}
    </>
  );
};
