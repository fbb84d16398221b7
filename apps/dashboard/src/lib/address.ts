import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * The part of a view's state that stands in its address: read a value, or set some (null takes one out).
 * Setting replaces the entry unless `push` asks for one of its own in the browser's history.
 */
export function useAddress() {
  const [params, setParams] = useSearchParams();
  const get = useCallback((name: string): string | undefined => params.get(name) ?? undefined, [params]);
  const set = useCallback(
    (changes: Readonly<Record<string, string | null | undefined>>, push = false) =>
      setParams((old) => changed(old, changes), { replace: !push, preventScrollReset: true }),
    [setParams],
  );
  return { params, get, set };
}

/** `params` with the changes made; a null, undefined or empty value takes its name out. */
export function changed(
  params: URLSearchParams,
  changes: Readonly<Record<string, string | null | undefined>>,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

/** A path with a query, without the values that are not set. */
export function to(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const params = changed(new URLSearchParams(), query);
  return params.size > 0 ? `${path}?${params}` : path;
}
