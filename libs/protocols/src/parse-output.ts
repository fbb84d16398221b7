import { tooManyMembers } from '@callsmith/stream';
import { type JsonValue, parseExactJson } from '@callsmith/turn';

/**
 * Parses JSON that a model wrote, as a client API needs it as a value; `undefined` if it is not JSON, or has so many
 * members that parsing it would block the event loop. Never throws.
 */
export const parseOutput = (json: string): JsonValue | undefined =>
  tooManyMembers(json) === undefined ? parseExactJson(json) : undefined;
