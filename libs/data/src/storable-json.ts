/** In JSON's text: U+0000, half a surrogate pair, or any other escape. */
const escaped = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[\s\S])/g;

/**
 * A copy of a JSON value with U+FFFD in place of U+0000 and of lone surrogates, in member names as well, like in texts
 * (`storable`): PostgreSQL accepts neither.
 */
export const storableJson = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value).replace(escaped, (found) =>
      found === '\\u0000' || found.startsWith('\\ud') ? '\ufffd' : found,
    ),
  ) as T;
