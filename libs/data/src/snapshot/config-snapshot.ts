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
  /** Public model names it may use; undefined: all. */
  readonly allowedModels: ReadonlySet<string> | undefined;
  /** Bodies of its team's turns may be kept. */
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
  /** By which of its APIs models are asked, where they do not say so themselves. */
  readonly api: 'auto' | 'chat' | 'responses' | 'ollama';
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
  readonly engineVersion: string | undefined;
}

/** One place where a model is served. */
export interface Route {
  readonly upstream: UpstreamEntry;
  /** The model's name there. */
  readonly upstreamModel: string;
  readonly weight: number;
  /** Whether it takes native tools there, as declared, else learned, else told by its server. Undefined: nothing is known (D-25). */
  readonly nativeTools: boolean | undefined;
  /** Parameters that it was seen to refuse there. */
  readonly refuses: readonly string[];
  /** It was seen to call natively there, or with markers: what nothing marks is no call behind prose (D-33). */
  readonly marksCalls: boolean;
  /** Its server was seen to cut long prompts there without saying so. */
  readonly cutsPrompts?: boolean;
  /** The API that it was seen to be spoken to by there: `chat` or `responses`. */
  readonly api?: string | undefined;
  /** What was learned to be needed there, by name, some followed by `:` and a hash of the tools it holds for. */
  readonly retreats: readonly string[];
  /** Whether its engine was seen to heed a constraint, by the name of what is sent for it. */
  readonly constraints?: Readonly<Record<string, boolean>>;
}

/**
 * What requests teach about a model on an upstream: whether native tools work; that the template prefills the reasoning
 * tag (D-10); which API it is asked by; that a parameter is refused; in which other form a request is answered; that it
 * marks its calls (D-33); that its server cuts long prompts.
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
  /** What the upstream said. */
  readonly reason: string;
}

/** What `auto` chose by evidence: the model as new conversations have it, and those that began before. */
export interface StrategyChoice extends ChosenForm {
  /** One sentence with the evidence. */
  readonly why: string;
  readonly model: ModelEntry;
  readonly before?: { readonly conversations: ReadonlySet<string>; readonly model: ModelEntry } | undefined;
}

/** A strategy that some conversations try, and the model as these have it. */
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
  /** What an admin declared or its server told of its own tool calls; undefined: nothing. */
  readonly capabilities?: { readonly [Name in CapabilityName]?: boolean } | undefined;
  /** What an admin says of its native tool calls; undefined: nothing, so `auto` finds out. */
  readonly declaredTools?: boolean | undefined;
  /** What `auto` chose by evidence; undefined: nothing, so its rules hold. */
  readonly choice?: StrategyChoice | undefined;
  /** A strategy that some conversations try; undefined: none. */
  readonly experiment?: StrategyExperiment | undefined;
  /** Why tools are sent so: `auto` chose this form of the model, or an experiment did. */
  readonly chosen?: { readonly from: StrategyName; readonly why: string } | undefined;
  readonly demo: boolean;
  /** In order of preference. */
  readonly routes: readonly Route[];
}

/**
 * Keys, models and upstreams in memory. Looking up is synchronous and touches no store; changes made on any gateway
 * reach it within 5 s. `stale` is true once the store has been away for longer than the grace: then keys fail closed.
 */
export interface ConfigSnapshot {
  /** By the peppered hash of the whole key. Undefined: unknown, revoked or expired. */
  key(hash: string): KeyEntry | undefined;
  /** By public name or alias; undefined: none of that name, or removed. */
  model(name: string): ModelEntry | undefined;
  /** All models, by name; demo models only while the demo is on. */
  models(): readonly ModelEntry[];
  readonly stale: boolean;
  /** Keeps a lesson for 24 h (D-25); takes effect here at once and on other gateways within 5 s. */
  learn(lesson: Lesson): void;
  /** Stores another hash of a key: it is known by its former one, from before SECRET_KEY was changed. */
  rehash(keyId: string, hash: string): void;
  /** Marks a key as used just now by `client` to ask a model; written in batches. The first that is real ends the demo. */
  touch(keyId: string, client: string, model: Pick<ModelEntry, 'demo'>): void;
}

/** Nest's token of the `ConfigSnapshot`. */
export const CONFIG_SNAPSHOT = Symbol('CONFIG_SNAPSHOT');
