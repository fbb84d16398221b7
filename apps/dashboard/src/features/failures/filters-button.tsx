import { filterNames } from '@callsmith/contracts';
import { Button } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';

/** Whether the filters are shown where they are behind a button; the address says. */
export const useFiltersOpen = (): boolean => useAddress().get('facets') === 'yes';

/** Shows and hides the filters where there is no room for them, with how many are set. */
export function FiltersButton() {
  const address = useAddress();
  const open = useFiltersOpen();
  const active = filterNames.filter((name) => address.get(name)).length;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconAdjustmentsHorizontal size={14} aria-hidden="true" />}
      aria-expanded={open}
      onClick={() => address.set({ facets: open ? null : 'yes' })}
    >
      Filters{active > 0 && ` (${active})`}
    </Button>
  );
}
