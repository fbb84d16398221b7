import { Tooltip } from '@mantine/core';
import { Tag } from './tag.tsx';

/** Says that the configuration file manages something, so that it cannot be changed here. */
export const ManagedTag = () => (
  <Tooltip label="Managed by the configuration file (CONFIG_FILE): change it there">
    <span>
      <Tag kind="quiet">configuration file</Tag>
    </span>
  </Tooltip>
);
