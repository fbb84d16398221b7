import type { Access } from '@callsmith/contracts';
import { isAtLeast } from '../access/caller.ts';

/**
 * True if a role may use a view: a user who may not search message content does not see others' searches of it
 * (security 19).
 */
export const mayUse = (
  role: Access,
  { userId, address }: { readonly userId: string | null; readonly address: unknown },
) => userId !== null || isAtLeast(role, 'editor') || !['text', 'argument'].some((name) => name in Object(address));
