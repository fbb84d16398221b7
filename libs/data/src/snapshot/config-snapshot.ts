import type { CapabilityName, KeyKind, ModelSettingValues, Sourced } from '@callsmith/contracts';
import type { StrategyName, UpstreamKind } from '@callsmith/turn';
import type { KeyBudget } from '../limits/key-budgets.ts';
import type { ChosenForm } from '../models/strategy-choice.ts';
import type { Addressing } from '../upstreams/addressing.ts';

/** A key as the request path needs it. */
export interface KeyEntry {
  readonly id: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly holder: string;
  readonly hint: string;
  readonly kind: KeyKind;
  /** Public names of the models that it may use; undefined: all. */
  readonly allowedModels: ReadonlySet<string> | undefined;
  /** Bodies of its team's turns may be stored. */
  readonly storesBodies: boolean;
  readonly expiresAt: Date | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: bigint | undefined;
  readonly concurrentStreams: number | undefined;
  /** Its own, its owner's and its team's. */
  readonly budgets: readonly KeyBudget[];
}

/** An upstream as the request path needs it. */
export interface UpstreamEntry extends Addressing {
  readonly id: string;
  readonly name: string;
  readonly kind: UpstreamKind;
  /** Which of its APIs is used for models without their own setting. */
  readonly api: 'auto' | 'chat' | 'responses' | 'ollama';
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
  readonly engineVersion: string | undefined;
}

/** One route of a model. */
export interface Route {
  readonly upstream: UpstreamEntry;
  /** The model's name there. */
  readonly upstreamModel: string;
  readonly weight: number;
  /**
   * Whether it accepts native tools there, as declared, else learned, else reported by its server. Undefined: unknown
   * (D-25).
   */
  readonly nativeTools: boolean | undefined;
  /** Parameters that it was seen to refuse there. */
  readonly refuses: readonly string[];
  /** It was seen to call natively there, or with markers: a call without markers after prose is text (D-33). */
  readonly marksCalls: boolean;
  /** Its server was seen to truncate long prompts there without an error. */
  readonly cutsPrompts?: boolean;
  /** The API that it was seen to support there: `chat` or `responses`. */
  readonly api?: string | undefined;
  /**
   * The forms that requests there were learned to need, by name, some followed by `:` and a hash of the tools that it
   * applies to.
   */
  readonly retreats: readonly string[];
  /** Whether its engine was seen to enforce a constraint, by the name of its field. */
  readonly constraints?: Readonly<Record<string, boolean>>;
}

/**
 * A lesson about a model on an upstream: whether native tools work; that the template prefills the reasoning tag
 * (D-10); which API it uses; that a parameter is refused; in which other form a request succeeds; that it marks its
 * calls (D-33); that its server truncates long prompts.
 */
export type LearnedFact =
  | 'native-tools'
  | 'reasoning-prefilled'
  | 'marked-calls'
  | 'cuts-prompts'
  | 'api'
  | `parameter:${string}`
  | `constraint:${string}`
  | `retreat:${string}`;

/** Something learned, with its evidence. */
export interface Lesson {
  readonly modelId: string;
  readonly upstreamId: string;
  readonly what: LearnedFact;
  readonly value: boolean | string;
  readonly engineVersion: string | undefined;
  /** The upstream's message. */
  readonly reason: string;
}

/** The choice of `auto` by evidence: the model for new conversations, and for those that began before. */
export interface StrategyChoice extends ChosenForm {
  /** One sentence with the evidence. */
  readonly why: string;
  readonly model: ModelEntry;
  readonly before?: { readonly conversations: ReadonlySet<string>; readonly model: ModelEntry } | undefined;
}

/** A strategy under experiment, and the model with it. */
export interface StrategyExperiment {
  readonly takes: (conversation: string) => boolean;
  readonly model: ModelEntry;
}

/** A model as the request path needs it. */
export interface ModelEntry extends ModelSettingValues {
  readonly id: string;
  readonly name: string;
  readonly strategy: Sourced<StrategyName>;
  /** A dialect's name or `auto`. */
  readonly dialect: Sourced<string>;
  /** Bytes; null: never before complete. */
  readonly holdBytes: Sourced<number | null>;
  /** Its native tool calls as an admin declared or its server reports; undefined: neither. */
  readonly capabilities?: { readonly [Name in CapabilityName]?: boolean } | undefined;
  /** Its native tool calls as an admin declared; undefined: not declared, so `auto` detects them. */
  readonly declaredTools?: boolean | undefined;
  /** The choice of `auto` by evidence; undefined: none, so its rules apply. */
  readonly choice?: StrategyChoice | undefined;
  /** A strategy under experiment; undefined: none. */
  readonly experiment?: StrategyExperiment | undefined;
  /** Why tools are sent so: the choice of `auto`, or an experiment. */
  readonly chosen?: { readonly from: StrategyName; readonly why: string } | undefined;
  readonly demo: boolean;
  /** In order of preference. */
  readonly routes: readonly Route[];
}

/**
 * Keys, models and upstreams in memory. Lookups are synchronous and use no store; changes made on any gateway arrive
 * within 5 s. `stale` is true once the store has been unreachable for longer than the grace period: then keys fail
 * closed.
 */
export interface ConfigSnapshot {
  /** By the peppered hash of the whole key. Undefined: unknown, revoked or expired. */
  key(hash: string): KeyEntry | undefined;
  /** By public name or alias; undefined: unknown, or removed. */
  model(name: string): ModelEntry | undefined;
  /** All models, by name; demo models only while the demo is on. */
  models(): readonly ModelEntry[];
  readonly stale: boolean;
  /** Stores a lesson for 24 h (D-25); takes effect here immediately and on other gateways within 5 s. */
  learn(lesson: Lesson): void;
  /** Stores another hash of a key that matched by its former one, from before SECRET_KEY was changed. */
  rehash(keyId: string, hash: string): void;
  /**
   * Records that a key was used just now by `client` for a model; written in batches. The first use of a real model
   * ends the demo.
   */
  touch(keyId: string, client: string, model: Pick<ModelEntry, 'demo'>): void;
}

/** Nest's token of the `ConfigSnapshot`. */
export const CONFIG_SNAPSHOT = Symbol('CONFIG_SNAPSHOT');
