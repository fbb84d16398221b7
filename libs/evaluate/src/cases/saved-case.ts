import type { JsonObject } from '@callsmith/turn';
import type { Expectation } from './probe-case.ts';

/** A case that a user saved for a model. Unlike those of `cases.ts` it has no nonces: its request is always the same. */
export interface SavedCase {
  readonly id: string;
  readonly title: string;
  /** A body of `/v1/chat/completions`, without `model` and `stream`. */
  readonly request: JsonObject;
  readonly expects: Expectation;
}

/** The number of the first saved case of a probe; the twenty built-in ones come before. */
export const FIRST_SAVED_CASE = 21;
