import { randomBytes, randomUUID } from 'node:crypto';

/** The kind of an id; its letters are the prefix before the underscore. */
export type IdPrefix =
  | 'key'
  | 'team'
  | 'user'
  | 'up'
  | 'model'
  | 'chg'
  | 'aud'
  | 'bud'
  | 'lease'
  | 'hook'
  | 'dlv'
  | 'loss'
  | 'exp'
  | 'exper'
  | 'trial'
  | 'probe'
  | 'pcase'
  | 'mcp'
  | 'tool'
  | 'mask'
  | 'view';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A new id: `key_` + 9 characters of time (ids sort by age) + 11 random ones. */
export function newId(prefix: IdPrefix): string {
  let time = Date.now();
  let head = '';
  for (let place = 0; place < 9; place++) {
    head = LETTERS[time % 32] + head;
    time = Math.floor(time / 32);
  }
  let tail = '';
  for (const byte of randomBytes(11)) tail += LETTERS[byte % 32];
  return `${prefix}_${head}${tail}`;
}

/** A new turn id: a UUIDv7 of `at` (RFC 9562, 5.7), whose time is the partition key (D-27). */
export function newTurnId(at: Date = new Date()): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  // Node generates UUIDs in advance, many at a time: the random half of one is far cheaper than separate random bytes.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The instant in a UUIDv7. */
export function turnTime(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));
}

/** The displayed form of a turn's id: `turn_` + its 32 hex digits. */
export const shownTurnId = (uuid: string): string => `turn_${uuid.replaceAll('-', '')}`;

/** The UUID in a displayed turn id, or a UUID unchanged; undefined for anything else. */
export function turnUuid(shown: string): string | undefined {
  const hex = shown
    .replace(/^turn_/, '')
    .replaceAll('-', '')
    .toLowerCase();
  if (!/^[0-9a-f]{12}7[0-9a-f]{19}$/.test(hex)) return undefined;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
