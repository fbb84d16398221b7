import { ActionIcon, Box, CopyButton, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import css from './copy-field.module.css';

/** A button that copies `value`; `label` says what that is. */
export const Copy = ({ value, label }: { value: string; label: string }) => (
  <CopyButton value={value} timeout={1600}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
        <ActionIcon
          variant="subtle"
          color={copied ? 'teal' : 'gray'}
          onClick={copy}
          aria-label={copied ? `${label} copied` : `Copy ${label}`}
        >
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
);

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
