import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useAddress } from '../../lib/address.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';

/** `j` and `k` select the next and the previous of the listed requests, `o` opens the full page of the selected one. */
export function useFailureShortcuts(ids: readonly string[], selected: string | undefined): void {
  const address = useAddress();
  const navigate = useNavigate();
  const step = (by: 1 | -1) => () => {
    // The address is ahead of what is drawn while keys are struck quickly.
    const at = new URLSearchParams(window.location.search).get('turn') ?? selected;
    const next = ids[at === undefined ? 0 : ids.indexOf(at) + by];
    if (next) address.set({ turn: next, chunk: null });
  };
  useShortcuts({
    j: step(1),
    k: step(-1),
    o: () => selected && void navigate(`/failures/${encodeURIComponent(selected)}`),
  });
  useEffect(() => {
    if (selected) document.querySelector('tr a[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
}
