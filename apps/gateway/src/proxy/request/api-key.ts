import { Fault } from '@callsmith/turn';

/** Request headers as Node gives them: lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The headers in which clients send their key; all are equivalent. */
export const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

/**
 * The API key of a request, from whichever header has it; undefined if none does. Throws `conflicting_api_keys` if
 * headers have different keys, and `invalid_api_key` for an unreadable one.
 */
export function apiKeyIn(headers: RequestHeaders): string | undefined {
  let found: string | undefined;
  for (const name of keyHeaders) {
    const key = keyIn(name, headers[name]);
    if (key === undefined) continue;
    if (found !== undefined && found !== key)
      throw new Fault(
        'conflicting_api_keys',
        `The headers ${placesOf(headers)} contain different API keys. Send only one.`,
      );
    found = key;
  }
  return found;
}

/** The part of an unknown key that a message shows: enough to recognize it, too little to use it. */
export const hintOf = (key: string): string =>
  key.length < 12 ? `of ${characters(key.length)}` : `${key.startsWith('sk-') ? 'sk-' : ''}…${key.slice(-4)}`;

const characters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`);

function keyIn(name: (typeof keyHeaders)[number], value: string | string[] | undefined): string | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined || text === '') return undefined;
  const key = name === 'authorization' ? bearerOf(text) : text;
  if (key === undefined || key === '') return undefined;
  if (key.length > maxKeyLength)
    throw new Fault('invalid_api_key', `The API key in ${name} is longer than ${maxKeyLength} characters.`);
  return key;
}

const maxKeyLength = 1000;

function bearerOf(value: string): string | undefined {
  const [scheme = '', ...rest] = value.split(/ +/);
  if (scheme.toLowerCase() === 'bearer') return rest.join(' ').trim();
  if (rest.length === 0) return scheme;
  throw new Fault(
    'invalid_api_key',
    `Authorization says "${scheme.slice(0, 20)}"; Callsmith expects "Authorization: Bearer <key>".`,
  );
}

const placesOf = (headers: RequestHeaders): string =>
  keyHeaders.filter((name) => headers[name] !== undefined).join(' and ');
