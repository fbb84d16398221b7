import type { UserMember } from '@callsmith/protocols';
import { parseJson } from '@callsmith/turn';

/**
 * A body's text for storage: the value of the member that identifies its user is emptied. It is matched by name and
 * value, so that a member of the same name elsewhere, e.g. in a call's arguments, is unchanged unless it has the same
 * value.
 */
export function withoutUser(text: string, user: UserMember | undefined): string {
  if (user === undefined) return text;
  const member = new RegExp(`("${user.member}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*")`, 'g');
  return text.replace(member, (all, name: string, value: string) =>
    parseJson(value) === user.value ? `${name}""` : all,
  );
}
