import { Group, Text } from '@mantine/core';
import { actionTexts, classTexts } from '../../lib/explain.ts';
import { Tag } from '../../ui/tag.tsx';
import css from './findings.module.css';
import type { Finding } from './marks.ts';

/** What was noticed about a request, and what was done about it. */
export const Findings = ({ notes }: { notes: readonly Finding[] }) => (
  <ul className={css.list} aria-label="Findings">
    {notes.map((note, n) => (
      <li key={`${note.class ?? ''}-${note.rule ?? ''}-${String(n)}`} className={css.item}>
        <Group gap={6}>
          {note.class && <Text fw={600}>{note.class}</Text>}
          {note.rule && (
            <Tag>
              <span className="mono">{note.rule}</span>
            </Tag>
          )}
          {note.action && <Tag kind="quiet">{actionTexts[note.action] ?? note.action}</Tag>}
          {note.guess && <Tag kind="quiet">low confidence</Tag>}
          {note.tool !== undefined && (
            <Text span fz="xs" c="dimmed" className="mono">
              {note.tool}
            </Text>
          )}
        </Group>
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {note.detail ?? (note.class ? classTexts[note.class] : undefined)}
        </Text>
      </li>
    ))}
  </ul>
);
