import { Button } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';

/** Shows a chart as a table, and the table as a chart again. */
export const TableSwitch = ({ table, onChange }: { table: boolean; onChange: (table: boolean) => void }) => (
  <Button
    size="xs"
    variant="default"
    leftSection={table ? <IconChartBar size={14} aria-hidden="true" /> : <IconTable size={14} aria-hidden="true" />}
    onClick={() => onChange(!table)}
  >
    {table ? 'View as chart' : 'View as table'}
  </Button>
);
