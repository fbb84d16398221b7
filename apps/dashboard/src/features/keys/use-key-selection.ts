import type { Key } from '@callsmith/contracts';
import { useState } from 'react';
import { toggled } from '../../lib/toggled.ts';

/** Which keys are chosen, to be changed together. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  toggle(id: string): void;
}

/** True if a key can be changed here. */
export const isChangeable = ({ revokedAt, kind, managedBy }: Key): boolean =>
  revokedAt === null && kind !== 'demo' && managedBy === null;

/** Chooses among listed keys. What is not listed any more, e.g. because it was revoked, is not changed either. */
export function useKeySelection(listed: readonly Key[]) {
  const [ids, choose] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => choose((now) => toggled(now, id));
  const chosen = listed.filter((key) => ids.has(key.id) && isChangeable(key));
  return { selection: { ids, toggle } satisfies Selection, chosen, choose };
}
