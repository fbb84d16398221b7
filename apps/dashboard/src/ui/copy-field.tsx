import { ActionIcon, Box, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { copyText } from '../lib/copy-text.ts';
import css from './copy-field.module.css';

/** A button that copies `value`; `label` says what that is. */
export function Copy({ value, label }: { value: string; label: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const copy = async () => {
    setState((await copyText(value)) ? 'copied' : 'refused');
    setTimeout(() => setState('ready'), 1_600);
  };
  const hint = { ready: `Copy ${label}`, copied: `${label} copied`, refused: 'Blocked by the browser' }[state];
  const Icon = { ready: IconCopy, copied: IconCheck, refused: IconX }[state];
  return (
    <ActionIcon
      variant="subtle"
      color={state === 'copied' ? 'teal' : 'gray'}
      onClick={() => void copy()}
      aria-label={hint}
      title={hint}
    >
      <Icon size={16} aria-hidden="true" />
    </ActionIcon>
  );
}

/** A named value with its own copy button; `block` for text of several lines. */
export const CopyField = ({ label, value, block = false }: { label: string; value: string; block?: boolean }) => (
  <Box>
    <Text fz="xs" c="dimmed" mb={2}>
      {label}
    </Text>
    <div className={`${css.field} ${block ? css.block : ''}`}>
      {block ? (
        // What scrolls is reached by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        <section className={css.value} tabIndex={0} aria-label={label}>
          {value}
        </section>
      ) : (
        <span className={css.value}>{value}</span>
      )}
      <Copy value={value} label={label} />
    </div>
  </Box>
);
