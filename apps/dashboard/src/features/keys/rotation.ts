import type { Key } from '@callsmith/contracts';

/** So many days after it was made a key is best replaced, where it does not expire before. */
export const rotationDays = 180;

/** So many days before, users are notified. */
const noticeDays = 14;

const day = 86_400_000;

/** When a key is to be replaced. */
export interface Rotation {
  /** An instant, ISO 8601. */
  readonly at: string;
  readonly state: 'due' | 'soon' | 'later';
  readonly because: 'expiry' | 'age';
}

/**
 * When a key is to be replaced, as seen at `now`, in milliseconds; undefined for one that is not replaced here, has been
 * already, or has expired.
 */
export function rotationOf(
  key: Pick<Key, 'createdAt' | 'expiresAt' | 'revokedAt' | 'rotatedTo' | 'kind'>,
  now: number,
): Rotation | undefined {
  if (key.revokedAt !== null || key.rotatedTo !== null || key.kind === 'demo' || key.kind === 'env') return undefined;
  const aged = Date.parse(key.createdAt) + rotationDays * day;
  const expires = key.expiresAt === null ? Infinity : Date.parse(key.expiresAt);
  if (expires <= now) return undefined;
  const at = Math.min(aged, expires);
  const left = at - now;
  return {
    at: new Date(at).toISOString(),
    state: left <= 0 ? 'due' : left <= noticeDays * day ? 'soon' : 'later',
    because: expires <= aged ? 'expiry' : 'age',
  };
}
