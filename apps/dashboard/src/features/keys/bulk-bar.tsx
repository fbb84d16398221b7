import type { Key } from '@callsmith/contracts';
import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { toast } from '../../ui/toast.ts';
import { BulkForm } from './bulk-form.tsx';
import { isChangeable } from './use-key-selection.ts';

/** As many as one request changes. */
const MOST = 200;

/** What can be done to the chosen keys together. */
export function BulkBar({
  chosen,
  shown,
  choose,
}: {
  chosen: readonly Key[];
  /** Those that are listed. */
  shown: readonly Key[];
  choose: (ids: ReadonlySet<string>) => void;
}) {
  const address = useAddress();
  const open = address.get('many');
  const close = () => address.set({ many: null });
  const rest = shown.filter(isChangeable).slice(0, MOST);
  const tooMany = chosen.length > MOST;
  return (
    <Group gap="xs" role="group" aria-label="Chosen keys">
      <Text fz="sm" role="status">
        {plural(chosen.length, 'key')} chosen{tooMany && `; at most ${MOST} are changed at once`}
      </Text>
      <Button size="xs" variant="default" disabled={tooMany} onClick={() => address.set({ many: 'change' })}>
        Change…
      </Button>
      <Button
        size="xs"
        variant="default"
        color="red"
        disabled={tooMany}
        onClick={() => address.set({ many: 'revoke' })}
      >
        Revoke…
      </Button>
      {chosen.length < rest.length && (
        <Button size="xs" variant="subtle" onClick={() => choose(new Set(rest.map(({ id }) => id)))}>
          Choose all {rest.length}
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={() => choose(new Set())}>
        Choose none
      </Button>
      {open === 'change' && <BulkForm keys={chosen} onClose={close} />}
      {open === 'revoke' && <RevokeMany keys={chosen} onClose={close} />}
    </Group>
  );
}

function RevokeMany({ keys, onClose }: { keys: readonly Key[]; onClose: () => void }) {
  const queryClient = useQueryClient();
  const count = plural(keys.length, 'key');
  const revoke = async () => {
    await client.keys.changeMany({ body: { ids: keys.map(({ id }) => id), revoke: true } });
    await queryClient.invalidateQueries({ queryKey: ['keys'] });
    toast(`${count} revoked.`);
  };
  return (
    <Confirm title={`Revoke ${count}?`} action="Revoke" danger onConfirm={revoke} onClose={onClose}>
      Those of {namesOf(keys)}. Requests with them are refused within 5 seconds. This cannot be undone, but you can
      create new keys at any time.
    </Confirm>
  );
}

/** The owners, the first few by name. */
function namesOf(keys: readonly Key[]): string {
  const holders = [...new Set(keys.map(({ holder }) => holder))];
  const named = holders.slice(0, 5).join(', ');
  return holders.length > 5 ? `${named} and ${holders.length - 5} others` : named;
}
