import { useLocation } from 'react-router';
import { linkTo, useAddress, withParams } from '../../lib/address.ts';

/** Where a request is shown: beside the list where there is room, else on a page of its own. */
export function useRequestAddress(wide: boolean): (id: string) => string {
  const { params } = useAddress();
  const { pathname } = useLocation();
  return (id) =>
    wide
      ? `${pathname}?${withParams(params, { turn: id, chunk: null })}`
      : linkTo(`/failures/${encodeURIComponent(id)}`);
}
