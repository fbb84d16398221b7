import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import css from './health-strip.module.css';
import { healthQuery } from './queries.ts';

const slots = 96;
const day = 86_400_000;

/** The last 24 hours in quarters of an hour: one look that failed makes its quarter red and taller. */
export function HealthStrip({ id }: { id: string }) {
  const { data, dataUpdatedAt } = useQuery(healthQuery(id));
  if (!data || data.items.length === 0) return null;
  const states = statesOf(data.items, dataUpdatedAt);
  const bad = data.items.filter((look) => !look.ok).length;
  return (
    <div>
      <div className={css.strip} aria-hidden="true">
        {states.map((state, slot) => (
          <span key={`slot-${String(slot)}`} className={`${css.slot} ${state ? css[state] : ''}`} />
        ))}
      </div>
      <Group justify="space-between" fz="xs" c="dimmed">
        <span>24 h ago</span>
        <Text span inherit>
          {bad === 0 ? 'all checks passed' : `${bad} of ${data.items.length} checks failed`}
        </Text>
        <span>now</span>
      </Group>
    </div>
  );
}

function statesOf(looks: readonly { at: string; ok: boolean }[], now: number): ('ok' | 'bad' | null)[] {
  const states: ('ok' | 'bad' | null)[] = Array.from({ length: slots }, () => null);
  for (const look of looks) {
    const slot = Math.min(slots - 1, Math.floor(((Date.parse(look.at) - (now - day)) / day) * slots));
    if (slot < 0) continue;
    states[slot] = look.ok && states[slot] !== 'bad' ? 'ok' : 'bad';
  }
  return states;
}
