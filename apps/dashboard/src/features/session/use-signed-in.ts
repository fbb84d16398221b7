import type { Me } from '@callsmith/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { sessionKey } from '../../lib/session.ts';

/** What happens once somebody has signed in: nothing of an earlier session stays, and the page at `path` opens. */
export function useSignedIn(): (me: Me, path: string) => void {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return (me, path) => {
    queryClient.clear();
    queryClient.setQueryData(sessionKey, me);
    void navigate(path, { replace: true });
  };
}
