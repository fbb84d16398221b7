import { Group, Text } from '@mantine/core';

/** Our mark: an anvil and a spark. */
export const Mark = ({ size = 22 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#4c54c3" />
    <path d="M4.5 13.5h22v3.2c-4.2.3-6.7 1.9-7.4 4.8H22v3.5H10v-3.5h2.4c-.6-2.5-3.2-4.1-7.9-4.6z" fill="#fff" />
    <path d="M21 4.5l1 2.6 2.6 1-2.6 1-1 2.6-1-2.6-2.6-1 2.6-1z" fill="#ffd48a" />
  </svg>
);

/** The logo and the product’s name. */
export const Wordmark = ({ size = 22 }: { size?: number }) => (
  <Group gap={8} wrap="nowrap">
    <Mark size={size} />
    <Text component="span" fw={650} fz={size * 0.72} lts="-0.02em" lh={1}>
      Callsmith
    </Text>
  </Group>
);
