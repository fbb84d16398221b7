import type { UserMember } from '@callsmith/protocols';
import { parseJson } from '@callsmith/turn';

/**
 * A body's text as it is stored: the value of the member that says who its user is, is empty there. Found by name and
 * value, so that a member of that name elsewhere, in a call's arguments say, stays as it is unless it says the same.
 */
export function withoutUser(text: string, user: UserMember | undefined): string {
  if (user === undefined) return text;
  const member = new RegExp(`("${user.member}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*")`, 'g');
  return text.replace(member, (all, name: string, value: string) =>
    parseJson(value) === user.value ? `${name}""` : all,
  );
}
