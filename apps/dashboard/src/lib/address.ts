import { useCallback } from 'react';
import { useNavigate, useSearchParams } from 'react-router';

/** What opens a dialog while it is in the URL. */
const dialogs: ReadonlySet<string> = new Set([
  'add',
  'connect',
  'edit',
  'editTeam',
  'exports',
  'issue',
  'limits',
  'many',
  'remove',
  'removeTeam',
  'removeUser',
  'replay',
  'revoke',
  'rotate',
  'story',
  'user',
  'views',
]);

type Changes = Readonly<Record<string, string | null | undefined>>;

/** The state of an entry of the history that was made to open a dialog. */
const dialog = { dialog: true };

/**
 * The part of a view's state in its URL: read a value, or set some (null takes one out). Setting
 * replaces the entry in the browser's history unless `push` asks for one of its own. A dialog has one, so that Back
 * closes it; where it is closed otherwise, that is Back too.
 */
export function useAddress() {
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const get = useCallback((name: string): string | undefined => params.get(name) ?? undefined, [params]);
  const set = useCallback(
    (changes: Changes, push = false) => {
      // As the browser has it: what is drawn may be behind, e.g. where closing a dialog follows on leaving its page.
      const now = new URLSearchParams(window.location.search);
      const names = Object.keys(changes).filter((name) => dialogs.has(name));
      const opens = names.some((name) => changes[name] && !now.has(name));
      const closes = names.some((name) => !changes[name] && now.has(name));
      const inDialog = isDialog(window.history.state);
      if (closes && !opens && inDialog) return void navigate(-1);
      const closed = names.length > 0 && !opens && !closes && names.every((name) => !changes[name]);
      if (closed && names.length === Object.keys(changes).length) return;
      setParams((old) => withParams(old, changes), {
        replace: !push && (!opens || closes),
        preventScrollReset: true,
        ...((opens && !closes) || inDialog ? { state: dialog } : {}),
      });
    },
    [setParams, navigate],
  );
  return { params, get, set };
}

/** The router keeps an entry's state as `usr` of the browser's own. */
const isDialog = (state: { readonly usr?: { readonly dialog?: unknown } | null } | null): boolean =>
  state?.usr?.dialog === true;

/** `params` with the changes made; a null, undefined or empty value takes its name out. */
export function withParams(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

/** A path with a query, without the values that are not set. */
export function linkTo(path: string, query: Changes = {}): string {
  const params = withParams(new URLSearchParams(), query);
  return params.size > 0 ? `${path}?${params}` : path;
}
