import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** Opens the command palette, as Ctrl or ⌘ and K do wherever one is. */
export function PaletteButton() {
  const [open, setOpen] = useState(false);
  const show = () => document.querySelector('[role="dialog"]') === null && setOpen(true);
  useHotkeys([['mod+K', show]], []);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        mb="sm"
        fullWidth
        justify="space-between"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={show}
      >
        Go to…
      </Button>
      {open && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
