import { useLocation } from 'react-router';
import { changed, to, useAddress } from '../../lib/address.ts';

/** Where a request is shown: beside the list where there is room, else on a page of its own. */
export function useRequestAddress(wide: boolean): (id: string) => string {
  const { params } = useAddress();
  const { pathname } = useLocation();
  return (id) =>
    wide ? `${pathname}?${changed(params, { turn: id, chunk: null })}` : to(`/failures/${encodeURIComponent(id)}`);
}
