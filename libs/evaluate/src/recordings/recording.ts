import type { JsonObject, JsonValue } from '@callsmith/turn';

/** A call, as JSON text. */
export interface ReplyCall {
  readonly name: string;
  /** As received; JSON, unless the call is broken. */
  readonly arguments: string;
}

/** A model's output, or the response that a client got. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReplyCall[];
}

/** A call that counts as right. */
export interface AcceptedCall {
  readonly name: string;
  /** By parameter, each accepted value; with an empty string among them it may be omitted. */
  readonly arguments: Readonly<Record<string, readonly JsonValue[]>>;
}

/** The expected answer. */
export type Expected =
  /** Exactly these calls, in any order: values equal as JSON (`exact`), or by the rules of BFCL's checker. */
  | { readonly kind: 'calls'; readonly calls: readonly AcceptedCall[]; readonly rules: 'bfcl' | 'exact' }
  /** At least one call. */
  | { readonly kind: 'some' }
  | { readonly kind: 'none' };

/** One recorded reply of a model, with its request. */
export interface Recording {
  readonly id: string;
  /** The group of its metrics: a category, or a file. */
  readonly group: string;
  /** As clients of `/v1/chat/completions` send them. */
  readonly tools: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  readonly reply: Reply;
  /** The reply was cut by the token limit. */
  readonly cut: boolean;
  /** Undefined: the expected answer is unknown, and only the form of its calls is evaluated. */
  readonly expects?: Expected;
}

/** The result of reading a file: its recordings, and the number of unusable lines by reason. */
export interface ReadRecordings {
  readonly recordings: readonly Recording[];
  readonly skipped: ReadonlyMap<string, number>;
}
