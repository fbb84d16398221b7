import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';

/** Opens the dialogs that create keys, and the one of budgets. */
export function NewKeyButtons() {
  const address = useAddress();
  return (
    <>
      <Button variant="default" onClick={() => address.set({ budgets: 'open' })}>
        Budgets
      </Button>
      <Button variant="default" onClick={() => address.set({ issue: 'import' })}>
        Import
      </Button>
      <Button variant="default" onClick={() => address.set({ issue: 'many' })}>
        Create several
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={() => address.set({ issue: 'one' })}>
        Create key
      </Button>
    </>
  );
}
