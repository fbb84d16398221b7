import type { JsonObject } from '@callsmith/turn';

/** A call that the model decides on. */
export interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The model's decided output: reasoning, text, then calls. */
export interface Answer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly Call[];
}
