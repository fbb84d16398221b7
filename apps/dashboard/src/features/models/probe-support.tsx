import type { Probe } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import css from './trial.module.css';

const supportTexts = {
  works: 'works',
  taken: 'accepted, but no effect seen',
  'no effect': 'accepted, without effect',
  refused: 'rejected',
  unknown: 'no response',
} as const;

/** What the server of a model takes, as one request each showed. */
export const ProbeSupport = ({ support }: { support: NonNullable<Probe['support']> }) => (
  <table className={css.table} aria-label="What the server supports">
    <thead>
      <tr>
        <th scope="col">What</th>
        <th scope="col">Found</th>
      </tr>
    </thead>
    <tbody>
      {support.map(({ what, support: found, detail }) => (
        <tr key={what}>
          <th scope="row">
            <code>{what}</code>
          </th>
          <td>
            {supportTexts[found]}
            {detail && (
              <Text fz="xs" c="dimmed" className={css.why} lineClamp={3}>
                {detail}
              </Text>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
