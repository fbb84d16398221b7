import { mistralNamed } from './mistral-v11.ts';

/** Nine letters or digits of any id, as Mistral's templates require them. */
export const nineCharactersOf = (id: string): string =>
  id
    .replace(/[^a-zA-Z0-9]/g, '')
    .slice(-9)
    .padStart(9, '0');

/** `[TOOL_CALLS]NAME[CALL_ID]abc123def[ARGS]{…}` (Small 3.2) */
export const mistralCallid = mistralNamed(
  'mistral-callid',
  (id) => `[CALL_ID]${nineCharactersOf(id)}`,
  ({ callId, text }) => `${nineCharactersOf(callId)}[TOOL_CONTENT]${text}`,
);
