import { lazy, Suspense, useEffect } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';

const loadConfirm = () => import('./confirm.tsx');
const Confirm = lazy(async () => ({ default: (await loadConfirm()).Confirm }));

/**
 * Asks before somebody leaves a page with unsaved changes, or closes the dialog that has them. A dialog stands in the
 * address, so that closing it is a change of the query. `still` says whether there are changes at that moment: saving
 * them leads elsewhere before this is drawn again.
 */
export function UnsavedChanges({
  still,
  inDialog,
  onAsking,
}: {
  still: () => boolean;
  inDialog: boolean;
  onAsking: ((asking: boolean) => void) | undefined;
}) {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      still() && (from.pathname !== to.pathname || (inDialog && from.search !== to.search)),
  );
  useBeforeUnload((event) => {
    if (still()) event.preventDefault();
  });
  // Not with the form: the sign-in page has one too, and never asks. Once there are changes, the question is at hand.
  useEffect(() => void loadConfirm().catch(() => {}), []);
  const asking = blocker.state === 'blocked';
  useEffect(() => onAsking?.(asking), [asking, onAsking]);
  if (blocker.state !== 'blocked') return null;
  return (
    <Suspense>
      <Confirm
        title="Discard unsaved changes?"
        action="Discard"
        danger
        onConfirm={async () => blocker.proceed()}
        onClose={() => blocker.state === 'blocked' && blocker.reset()}
      >
        Your changes have not been saved.
      </Confirm>
    </Suspense>
  );
}
