import type { Turn } from '@callsmith/turn';

/**
 * The path of a message in the client's body, as the body's parser recorded it in the turn; `list`: the member that
 * contains messages otherwise.
 */
export function messagePathIn({ echo }: Turn, message: number, list: string): string {
  const paths = echo?.paths;
  const path = Array.isArray(paths) ? paths[message] : undefined;
  return typeof path === 'string' ? path : `${list}[${message}]`;
}
