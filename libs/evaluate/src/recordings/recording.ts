import type { JsonObject, JsonValue } from '@callsmith/turn';

/** A call as JSON text says it. */
export interface ReplyCall {
  readonly name: string;
  /** As they came; JSON, if all is well. */
  readonly arguments: string;
}

/** What a model said, or what a client got of it. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReplyCall[];
}

/** A call that counts as right. */
export interface AcceptedCall {
  readonly name: string;
  /** By parameter, each value that is accepted; an empty string among them: it may be left out. */
  readonly arguments: Readonly<Record<string, readonly JsonValue[]>>;
}

/** What is known of the right answer. */
export type Expected =
  /** Just these calls, in any order: values equal as JSON (`exact`), or by the rules of BFCL's checker. */
  | { readonly kind: 'calls'; readonly calls: readonly AcceptedCall[]; readonly rules: 'bfcl' | 'exact' }
  /** One call at least, whichever. */
  | { readonly kind: 'some' }
  | { readonly kind: 'none' };

/** One recorded reply of a model, with what it was asked. */
export interface Recording {
  readonly id: string;
  /** What its figures are summed up under: a category, or a file. */
  readonly group: string;
  /** As clients of `/v1/chat/completions` send them. */
  readonly tools: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  readonly reply: Reply;
  /** The reply was cut by the limit of tokens. */
  readonly cut: boolean;
  /** Absent: nothing is known of the right answer, and only the form of its calls is judged. */
  readonly expects?: Expected;
}

/** What a reader made of a file: its recordings, and how many lines it could not use, by why. */
export interface ReadRecordings {
  readonly recordings: readonly Recording[];
  readonly skipped: ReadonlyMap<string, number>;
}
