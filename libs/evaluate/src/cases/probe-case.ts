import type { JsonObject } from '@callsmith/turn';

/** An expected call, with its arguments as JSON. */
export interface ExpectedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The expectation for an answer. */
export type Expectation =
  /** Exactly these calls, in any order, with exactly these arguments. */
  | { readonly kind: 'calls'; readonly calls: readonly ExpectedCall[] }
  /** At least one valid call. */
  | { readonly kind: 'any-call' }
  /** Exactly one valid call of each of these tools (of two, if it is named twice), whatever its arguments. */
  | { readonly kind: 'tools'; readonly names: readonly string[] }
  /** No call, and a text that contains these; `asks`: and a question. */
  | { readonly kind: 'text'; readonly holds: readonly string[]; readonly asks?: true };

/** One of the twenty capabilities of a reliable tool caller. */
export interface ProbeCase {
  /** 1 to 20. */
  readonly number: number;
  readonly title: string;
  /** It is also sent as a stream. */
  readonly streamed?: true;
  /**
   * Creates the case with its own nonces: the request as a client of `/v1/chat/completions` sends it, except for model
   * and stream.
   */
  readonly make: () => { readonly request: JsonObject; readonly expects: Expectation };
}
