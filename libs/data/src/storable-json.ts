/** In JSON's text: U+0000, half a surrogate pair, or any other escape. */
const escaped = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[\s\S])/g;

/**
 * A copy of a value of JSON in which U+FFFD stands for U+0000 and for halves of surrogate pairs, in names of members too, as
 * in texts (`storable`): PostgreSQL takes neither.
 */
export const storableJson = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value).replace(escaped, (found) =>
      found === '\\u0000' || found.startsWith('\\ud') ? '\ufffd' : found,
    ),
  ) as T;
