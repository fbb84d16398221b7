import type { TurnDetail } from '@callsmith/contracts';
import { formatMillis } from '../../lib/format.ts';
import { Tag } from '../../ui/tag.tsx';
import css from './timeline.module.css';

type Entries = NonNullable<NonNullable<TurnDetail['body']>['timeline']>;
type Entry = Entries[number];

/** What was done for an answer, and when: a row for each request to a model server and each call of an MCP tool. */
export const Timeline = ({ entries, totalMs }: { entries: Entries; totalMs: number }) => {
  const total = Math.max(1, totalMs, ...entries.map(({ endMs }) => endMs));
  const percent = (ms: number): string => `${(Math.min(ms, total) / total) * 100}%`;
  return (
    <ol className={css.rows} aria-label="Timeline">
      {titled(entries).map(({ entry, title, key }) => {
        const { server, name, startMs, firstByteMs, endMs, problem } = entry;
        const answered = entry.kind === 'tool' ? startMs : (firstByteMs ?? endMs);
        return (
          <li key={key} className={css.row}>
            <span className={css.what}>
              {title}{' '}
              <span className={css.quiet}>{server === null ? `${name}, no such tool` : `${server}: ${name}`}</span>
              {problem !== null && <Tag>{problemTexts[problem] ?? problem}</Tag>}
            </span>
            <span className={css.track} aria-hidden="true">
              <span className={css.wait} style={{ left: percent(startMs), width: percent(answered - startMs) }} />
              <span
                className={entry.kind === 'tool' ? css.tool : css.answer}
                style={{ left: percent(answered), width: percent(endMs - answered) }}
              />
            </span>
            <span className={css.times}>
              {formatMillis(endMs - startMs)} <span className={css.quiet}>from {formatMillis(startMs)}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
};

/** Attempts are numbered; what is done for an answer beside them has its own name. */
function titled(entries: Entries): { readonly entry: Entry; readonly title: string; readonly key: string }[] {
  const counts = new Map<Entry['kind'], number>();
  return entries.map((entry) => {
    const nth = (counts.get(entry.kind) ?? 0) + 1;
    counts.set(entry.kind, nth);
    return { entry, title: `${titles[entry.kind]} ${nth}`, key: `${entry.kind} ${nth}` };
  });
}

const titles: Readonly<Record<Entry['kind'], string>> = {
  attempt: 'Attempt',
  correction: 'Correction',
  delegation: 'Delegation',
  tool: 'Tool call',
};

const problemTexts: Readonly<Record<string, string>> = { unusable: 'no usable call', tool_error: 'failed' };
