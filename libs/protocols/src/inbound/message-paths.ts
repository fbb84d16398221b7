import type { Turn } from '@callsmith/turn';

/** Where the client put a message in its body, as the reader of the body left it in the turn; `list`: the member where it stands otherwise. */
export function messagePathIn({ echo }: Turn, message: number, list: string): string {
  const paths = echo?.paths;
  const path = Array.isArray(paths) ? paths[message] : undefined;
  return typeof path === 'string' ? path : `${list}[${message}]`;
}
