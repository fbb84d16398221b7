import type { Key } from '@callsmith/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { toast } from '../../ui/toast.ts';
import { Budgets } from './budgets.tsx';
import { ConnectLink } from './connect-link.tsx';
import { CreateKey } from './create-key.tsx';
import { CreateKeys } from './create-keys.tsx';
import { ImportKeys } from './import-keys.tsx';
import { LimitsForm } from './limits-form.tsx';
import { Rotate } from './rotate.tsx';

/** The dialog that the address asks for. */
export function Dialogs({ keys }: { keys: readonly Key[] }) {
  const me = useMe();
  const address = useAddress();
  if (!hasRole(me, 'editor')) return null;
  const named = (name: string) => keys.find((key) => key.id === address.get(name));
  const [connect, limits, rotate, revoke] = ['connect', 'limits', 'rotate', 'revoke'].map(named);
  return (
    <>
      {address.get('issue') === 'one' && <CreateKey onClose={() => address.set({ issue: null })} />}
      {address.get('issue') === 'many' && <CreateKeys onClose={() => address.set({ issue: null })} />}
      {address.get('budgets') === 'open' && <Budgets onClose={() => address.set({ budgets: null })} />}
      {address.get('issue') === 'import' && <ImportKeys onClose={() => address.set({ issue: null })} />}
      {connect && <ConnectLink of={connect} onClose={() => address.set({ connect: null })} />}
      {limits && <LimitsForm of={limits} onClose={() => address.set({ limits: null })} />}
      {rotate && <Rotate of={rotate} onClose={() => address.set({ rotate: null })} />}
      {revoke && <Revoke of={revoke} onClose={() => address.set({ revoke: null })} />}
    </>
  );
}

function Revoke({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const queryClient = useQueryClient();
  const revoke = async () => {
    await client.keys.revoke({ params: { id: key.id } });
    await queryClient.invalidateQueries({ queryKey: ['keys'] });
    toast(`The key of ${key.holder} is revoked.`);
  };
  return (
    <Confirm title={`Revoke the key of ${key.holder}?`} action="Revoke" danger onConfirm={revoke} onClose={onClose}>
      Requests with <code>{key.hint}</code> are refused within 5 seconds. This cannot be undone, but you can create a
      new key at any time.
    </Confirm>
  );
}
