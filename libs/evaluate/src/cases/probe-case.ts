import type { JsonObject } from '@callsmith/turn';

/** A call that is expected, its arguments as JSON. */
export interface ExpectedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What makes an answer right. */
export type Expectation =
  /** Just these calls, in any order, with just these arguments. */
  | { readonly kind: 'calls'; readonly calls: readonly ExpectedCall[] }
  /** One valid call at least, whichever. */
  | { readonly kind: 'any-call' }
  /** No call, and a text that holds these; `asks`: that asks something. */
  | { readonly kind: 'text'; readonly holds: readonly string[]; readonly asks?: true };

/** One of the twenty things that a model must be able to do to be a reliable tool caller. */
export interface ProbeCase {
  /** 1 to 20. */
  readonly number: number;
  readonly title: string;
  /** It is asked for streamed as well. */
  readonly streamed?: true;
  /** Makes it, with nonces of its own: the request as a client of `/v1/chat/completions` sends it, but for model and stream. */
  readonly make: () => { readonly request: JsonObject; readonly expects: Expectation };
}
