import type { ViewScreen } from '@callsmith/contracts';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../../lib/address.ts';
import { EditView } from './edit-view.tsx';
import { ManageViews } from './manage-views.tsx';
import { viewsQuery } from './queries.ts';
import { SaveView } from './save-view.tsx';

/** The dialog of saved views that the address asks for: save, manage, or change one by its ID. */
export function ViewDialogs({ screen }: { screen: ViewScreen }) {
  const address = useAddress();
  const requested = address.get('views');
  const views = useQuery({ ...viewsQuery, enabled: requested !== 'save' });
  const onClose = () => address.set({ views: null });
  if (requested === 'save') return <SaveView screen={screen} onClose={onClose} />;
  const edited = views.data?.items.find(({ id, mayChange }) => id === requested && mayChange);
  if (edited) return <EditView view={edited} onClose={() => address.set({ views: 'manage' })} />;
  return <ManageViews screen={screen} views={views} onClose={onClose} />;
}
