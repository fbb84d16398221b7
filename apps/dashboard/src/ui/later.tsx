import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

/** What is further down a page: it is drawn, and loads, once nothing else is loading. Until then: `meanwhile`. */
export function Later({ meanwhile, children }: { meanwhile?: ReactNode; children: ReactNode }) {
  const [begun, setBegun] = useState(false);
  const loading = useIsFetching();
  const queries = useQueryClient();
  // While this is first drawn, what is before it has not begun to load: the client knows when the effect runs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again when the number changes
  useEffect(() => {
    if (queries.isFetching() === 0) setBegun(true);
  }, [queries, loading]);
  return begun ? children : meanwhile;
}
