import type { Source } from '@callsmith/turn';
import { z } from 'zod';
import { type Sourced, type source, sourced, upstreamApi, upstreamApiChoices } from './vocabulary.ts';

/** The input in the form. `empty` describes the effective value if none is set. */
export type SettingControl =
  | { readonly kind: 'switch' }
  | { readonly kind: 'number'; readonly empty: string }
  | { readonly kind: 'text'; readonly empty: string }
  | {
      readonly kind: 'choice';
      readonly choices: readonly { readonly value: string | number | boolean; readonly label: string }[];
      readonly empty: string;
    }
  | { readonly kind: 'price'; readonly empty: string }
  | { readonly kind: 'models'; readonly empty: string };

const amount = z.number().min(0).max(1_000_000);

/** The price per million tokens, in the currency of the installation. */
const price = z.strictObject({
  input: amount,
  /** Cached input tokens; undefined: the same price as other input. */
  cachedInput: amount.optional(),
  output: amount,
});
export type Price = z.infer<typeof price>;

/** A fallback model, and when it is used: `context`: the prompt is too long; `outage`: no upstream answers. */
const fallback = z.strictObject({ model: z.string().trim().min(1).max(500), on: z.enum(['context', 'outage']) });
export type ModelFallback = z.infer<typeof fallback>;

/** A setting of a model. Its storage, API, form and provenance are derived from this entry. */
export interface ModelSetting {
  readonly type: z.ZodType;
  /** The value if no source has one; without it the setting has none then. */
  readonly default?: unknown;
  readonly label: string;
  /** Its effect, in a few words below the label. */
  readonly description: string;
  /** Possible sources of a value; the first source with a value decides. */
  readonly sources: readonly Exclude<Source, 'default'>[];
  /** Name of the lesson, if it can be learned from requests. */
  readonly learnedAs?: string;
  readonly control: SettingControl;
  /** The API returns the value or null, without its source. */
  readonly bare?: true;
}

/** The settings of a model that are one value each, in the order of the form. */
export const modelSettings = {
  contextLength: {
    type: z.number().int().min(1),
    label: 'Context (tokens)',
    description: 'If empty: detected',
    sources: ['declared', 'discovered'],
    control: { kind: 'number', empty: 'unknown' },
  },
  toolCallLimit: {
    type: z.number().int().min(1),
    label: 'Max tool calls per conversation',
    description: 'If empty: no limit',
    sources: ['declared'],
    control: { kind: 'number', empty: 'no limit' },
    bare: true,
  },
  api: {
    type: upstreamApi,
    default: 'auto',
    label: 'Upstream API',
    description: 'API through which the model is called; takes precedence over the setting of its upstreams',
    sources: ['declared'],
    control: {
      kind: 'choice',
      choices: upstreamApiChoices,
      empty: 'auto: the upstream’s setting, or detected',
    },
  },
  reasoningPrefilled: {
    type: z.boolean(),
    label: 'Reasoning',
    description: 'Whether the prompt template opens the reasoning block',
    sources: ['declared', 'learned'],
    learnedAs: 'reasoning-prefilled',
    control: {
      kind: 'choice',
      choices: [
        { value: true, label: 'opening tag is prefilled' },
        { value: false, label: 'model opens it itself' },
      ],
      empty: 'auto-detect',
    },
  },
  strictHistory: {
    type: z.boolean(),
    default: false,
    label: 'Strict history',
    description: 'Reject a history that is out of order instead of fixing it',
    sources: ['declared'],
    control: { kind: 'switch' },
  },
  fallback: {
    type: z.array(fallback).max(10),
    label: 'Fallback',
    description: 'Models that answer in its place: the first one that applies and that the key may use',
    sources: ['declared'],
    control: { kind: 'models', empty: 'none' },
  },
  price: {
    type: price,
    label: 'Price per million tokens',
    description: 'Applies to new requests; the recorded cost of earlier ones stays',
    sources: ['declared'],
    control: { kind: 'price', empty: 'none' },
  },
  maxCorrections: {
    type: z.number().int().min(0).max(3),
    default: 1,
    label: 'Corrections',
    description: 'Maximum retries when a response has no usable tool call',
    sources: ['declared'],
    control: { kind: 'number', empty: '1' },
  },
  nudgeAnnounced: {
    type: z.boolean(),
    default: false,
    label: 'Retry after announcements',
    description: 'Retries once when a response announces a tool call but makes none',
    sources: ['declared'],
    control: { kind: 'switch' },
  },
  nudgeLoops: {
    type: z.boolean(),
    default: false,
    label: 'Break loops',
    description: 'Tells the model when its conversation goes in circles',
    sources: ['declared'],
    control: { kind: 'switch' },
  },
  promoteReasoningCalls: {
    type: z.boolean(),
    default: false,
    label: 'Calls in reasoning',
    description: 'Delivers a call found in closed reasoning if the response has nothing else',
    sources: ['declared'],
    control: { kind: 'switch' },
  },
  agent: {
    type: z.enum(['off', 'request', 'always']),
    default: 'request',
    label: 'Agent mode',
    description: 'When the gateway runs the tools of MCP servers that a key may use',
    sources: ['declared'],
    control: {
      kind: 'choice',
      choices: [
        { value: 'off', label: 'never' },
        { value: 'always', label: 'for every request' },
      ],
      empty: 'when a request asks for it',
    },
  },
  delegate: {
    type: z.string().trim().min(1).max(500),
    label: 'Calls written by',
    description: 'Name of another model that writes the tool calls; this model only says in words what to call',
    sources: ['declared'],
    control: { kind: 'text', empty: 'itself' },
    bare: true,
  },
  failureBudget: {
    type: z.number().min(0.1).max(15),
    default: 2,
    label: 'Failure budget (%)',
    description: 'Share of requests with calls that may fail or go out invalid over 30 days',
    sources: ['declared'],
    control: { kind: 'number', empty: '2' },
  },
  switchWhenUsedUp: {
    type: z.boolean(),
    default: false,
    label: 'Switch when the budget is used up',
    description: 'Moves new conversations to a strategy that is clearly better, even if another one was set',
    sources: ['declared'],
    control: { kind: 'switch' },
  },
  promptAddition: {
    type: z.string().max(20_000),
    label: 'Prompt addition',
    description: 'Appended to the tool prompt of the strategy prompt',
    sources: ['declared'],
    control: { kind: 'text', empty: 'none' },
    bare: true,
  },
  keepsReasoning: {
    type: z.boolean(),
    default: false,
    label: 'Restore reasoning',
    description:
      'Stores the reasoning of responses with tool calls for a day, encrypted, and adds it to later requests whose client left it out',
    sources: ['declared'],
    control: { kind: 'switch' },
  },
  exampleCalls: {
    type: z.boolean(),
    label: 'Example calls',
    description: 'Adds one or two example calls with made-up values to the tool prompt (strategy prompt)',
    sources: ['declared', 'learned'],
    learnedAs: 'example-calls',
    control: {
      kind: 'choice',
      choices: [
        { value: true, label: 'always' },
        { value: false, label: 'never' },
      ],
      empty: 'if a probe showed that they help',
    },
  },
  briefToolsAbove: {
    type: z.number().int().min(1).max(10_000),
    label: 'Tools described in full, up to',
    description:
      'With more tools, those that a conversation is unlikely to need are described by name and first sentence only',
    sources: ['declared'],
    control: { kind: 'number', empty: 'always in full' },
    bare: true,
  },
  pinnedTools: {
    type: z.string().trim().min(1).max(20_000),
    label: 'Pinned tools',
    description: 'Comma-separated names of tools that are always described in full',
    sources: ['declared'],
    control: { kind: 'text', empty: 'none' },
    bare: true,
  },
  probeSchedule: {
    type: z.enum(['daily', 'weekly']),
    label: 'Probe regularly',
    description: 'Runs a quick probe automatically (about 90 requests)',
    sources: ['declared'],
    control: {
      kind: 'choice',
      choices: [
        { value: 'daily', label: 'every day' },
        { value: 'weekly', label: 'every week' },
      ],
      empty: 'off',
    },
    bare: true,
  },
} as const satisfies Record<string, ModelSetting>;

type Settings = typeof modelSettings;
export type SettingName = keyof Settings;

/** The effective settings of a model. */
export type ModelSettingValues = {
  readonly [Name in SettingName]:
    | Sourced<z.infer<Settings[Name]['type']>>
    | (Settings[Name] extends { readonly default: unknown } ? never : undefined);
};

/** The declared settings of a model; null removes a declaration. */
export type ModelSettingsChange = {
  readonly [Name in SettingName]?: z.infer<Settings[Name]['type']> | null | undefined;
};

export const settingNames = Object.keys(modelSettings) as SettingName[];

/** The entry of a setting, by any name of one. */
export const settingNamed = (name: SettingName): ModelSetting => modelSettings[name];

/** The settings of an unknown model. @internal For tests. */
export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => {
    const { default: value } = settingNamed(name);
    return [name, value === undefined ? undefined : { value, source: 'default' }];
  }),
) as ModelSettingValues;

type SourcedSchema<Name extends SettingName> = z.ZodObject<{ value: Settings[Name]['type']; source: typeof source }>;
type ReplyShape = {
  [Name in SettingName]: Settings[Name] extends { readonly bare: true }
    ? z.ZodNullable<Settings[Name]['type']>
    : Settings[Name] extends { readonly default: unknown }
      ? SourcedSchema<Name>
      : z.ZodNullable<SourcedSchema<Name>>;
};

/** Fields of a model in the API. */
export const settingsReply = Object.fromEntries(
  settingNames.map((name) => {
    const { type, bare, default: value } = settingNamed(name);
    const schema = bare ? type : sourced(type);
    return [name, bare || value === undefined ? schema.nullable() : schema];
  }),
) as ReplyShape;

/** Fields of a change of a model in the API; null: no longer declared. */
export const settingsChange = Object.fromEntries(
  settingNames.map((name) => [name, settingNamed(name).type.nullable().optional()]),
) as { [Name in SettingName]: z.ZodOptional<z.ZodNullable<Settings[Name]['type']>> };
