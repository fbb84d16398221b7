import type { JsonObject } from './json.ts';

/**
 * The form of a call's arguments: JSON, or the tags of a family of models. The names are xgrammar's, whose structural
 * tags vLLM and SGLang accept.
 */
export type ArgumentStyle =
  | 'json'
  | 'qwen_xml'
  | 'glm_xml'
  | 'minimax_xml'
  | 'minimax_m3_xml'
  | 'deepseek_xml'
  | 'kimi_k3_xml';

/** One allowed call of a constraint: between `begin` and `end`, arguments that satisfy `schema`. */
export interface ConstraintTag {
  /** The tool's name. */
  readonly name: string;
  readonly begin: string;
  readonly end: string;
  /** Undefined: any text up to `end`. */
  readonly schema?: JsonObject;
  readonly style: ArgumentStyle;
}

/**
 * A constraint on an engine's output: text is free until one of the triggers, after which one of the tags must follow;
 * then text is free again.
 */
export interface Constraint {
  readonly triggers: readonly string[];
  readonly tags: readonly ConstraintTag[];
  /** The response begins with a call. */
  readonly required: boolean;
  /** The response ends after the first call. */
  readonly single: boolean;
  /** Reasoning at the beginning of the text, which is free; `opened`: the prompt has opened it already. */
  readonly reasoning?: { readonly open: string; readonly close: string; readonly opened: boolean };
}
