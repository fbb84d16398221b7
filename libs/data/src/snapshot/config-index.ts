import type { Sourced } from '@callsmith/contracts';
import type { Source, StrategyName } from '@callsmith/turn';
import { budgetsIn } from '../limits/key-budgets.ts';
import { capabilitiesOf, capabilityValues } from '../models/capabilities.ts';
import { settingsInEffect } from '../models/stored-settings.ts';
import { CHOSEN_STRATEGY, type ChosenForm, chosenForm } from '../models/strategy-choice.ts';
import { addressingOf } from '../upstreams/addressing.ts';
import type {
  ConfigRows,
  ExperimentRow,
  LearnedRow,
  ModelRow,
  PinnedConversationsRow,
  UpstreamRow,
} from './config-rows.ts';
import type {
  KeyEntry,
  ModelEntry,
  Route,
  StrategyChoice,
  StrategyExperiment,
  UpstreamEntry,
} from './config-snapshot.ts';

/** Bytes of arguments after which a call begins to stream. */
export const DEFAULT_HOLD_BYTES = 1024;

/** The lookup tables of the config snapshot, built once per change. */
export interface ConfigIndex {
  /** By the peppered hash of the key. */
  readonly keys: ReadonlyMap<string, KeyEntry>;
  /** By public name and alias; listed models only. */
  readonly byName: ReadonlyMap<string, ModelEntry>;
  /** Listed models, by name. */
  readonly models: readonly ModelEntry[];
  /** When the first of the lessons expires; undefined: none. */
  readonly nextExpiry: Date | undefined;
  /** Demo models are listed, and no other model was used yet. */
  readonly demoOnly: boolean;
}

export interface ConfigIndexOptions {
  readonly secretKey: string;
  /** Undefined: on until there is something real, see `demoIsOn`. */
  readonly demo: boolean | undefined;
  /** The address of this gateway's own demo model server, whatever the tables say; ends in /v1. */
  readonly demoUrl?: string | undefined;
  /** The dialect of a model id by the table of model ids; undefined: none known. */
  readonly dialectOf: (modelId: string) => string | undefined;
}

/** Builds the lookup tables. Pure except for the decryption. */
export function buildConfigIndex(rows: ConfigRows, options: ConfigIndexOptions, now: Date): ConfigIndex {
  const demo = demoIsOn(rows, options.demo);
  const upstreams = new Map(rows.upstreams.map((row) => [row.id, upstreamEntry(row, options)]));
  const learned = rows.learned.filter((row) => row.expiresAt > now);
  const models = rows.models
    .filter((row) => demo || !row.demo)
    .map((row) => modelEntry(row, { ...rows, upstreams, learned, dialectOf: options.dialectOf }));
  const byName = new Map<string, ModelEntry>();
  const byId = new Map(models.map((model) => [model.id, model]));
  for (const { id, aliases } of rows.models) {
    const entry = byId.get(id);
    if (entry) for (const alias of aliases) byName.set(alias, entry);
  }
  for (const model of models) byName.set(model.name, model);
  const budgets = new Map(rows.budgets.map((row) => [placeOf(row), row]));
  const demoNames = new Set(models.filter((model) => model.demo).map((model) => model.name));
  return {
    keys: new Map(rows.keys.map((row) => [row.hash, keyEntry(row, { demoNames, budgets })])),
    byName,
    models,
    nextExpiry: learned.reduce<Date | undefined>(
      (first, { expiresAt }) => (first === undefined || expiresAt < first ? expiresAt : first),
      undefined,
    ),
    demoOnly: demo && !rows.demoOver && models.some((model) => model.demo),
  };
}

/**
 * True while demo models are listed: if DEMO says so, or if it is unset and there is only the demo's upstream, or only
 * manually added ones none of whose models was used yet: a new installation keeps something to look at until then.
 */
export function demoIsOn(
  { upstreams, demoOver }: Pick<ConfigRows, 'demoOver'> & { readonly upstreams: readonly { origin: string }[] },
  demo: boolean | undefined,
): boolean {
  if (demo !== undefined) return demo;
  const origins = upstreams.map(({ origin }) => origin).filter((origin) => origin !== 'demo');
  return origins.length === 0 || (!demoOver && !origins.includes('env'));
}

/** The team and the owner that a key or a budget belongs to; no owner: the whole team. */
const placeOf = ({ teamId, holder }: { readonly teamId: string; readonly holder: string }): string =>
  `${teamId}\0${holder}`;

function keyEntry(
  row: ConfigRows['keys'][number],
  {
    demoNames,
    budgets,
  }: { readonly demoNames: ReadonlySet<string>; readonly budgets: ReadonlyMap<string, ConfigRows['budgets'][number]> },
): KeyEntry {
  const kind = row.kind as KeyEntry['kind'];
  const owner = budgets.get(placeOf(row));
  const team = budgets.get(placeOf({ teamId: row.teamId, holder: '' }));
  const allowed = kind === 'demo' ? demoNames : row.allModels ? undefined : new Set(row.allowedModels);
  return {
    id: row.id,
    teamId: row.teamId,
    teamName: row.team.name,
    holder: row.holder,
    hint: row.hint,
    kind,
    allowedModels: allowed,
    storesBodies: row.team.storesBodies,
    expiresAt: row.expiresAt ?? undefined,
    requestsPerMinute: row.requestsPerMinute ?? undefined,
    tokensPerMinute: row.tokensPerMinute ?? undefined,
    concurrentStreams: row.concurrentStreams ?? undefined,
    budgets: [
      ...budgetsIn('key', row),
      ...(owner ? budgetsIn('owner', owner) : []),
      ...(team ? budgetsIn('team', team) : []),
    ],
  };
}

function upstreamEntry(row: UpstreamRow, { secretKey, demoUrl }: ConfigIndexOptions): UpstreamEntry {
  return {
    id: row.id,
    name: row.name,
    kind: (row.kind as UpstreamEntry['kind'] | null) ?? 'openai',
    ...addressingOf(row, secretKey),
    ...(row.origin === 'demo' && demoUrl !== undefined && { baseUrl: demoUrl }),
    api: row.api as UpstreamEntry['api'],
    connectTimeoutMs: row.connectTimeoutMs,
    firstByteTimeoutMs: row.firstByteTimeoutMs,
    idleTimeoutMs: row.idleTimeoutMs,
    maxConnections: row.maxConnections,
    engineVersion: row.engineVersion ?? undefined,
  };
}

/** What follows the prefix in the names of lessons that begin with it. */
const named = (prefix: string, lessons: readonly LearnedRow[]): string[] =>
  lessons.flatMap(({ what }) => (what.startsWith(prefix) ? [what.slice(prefix.length)] : []));

/** Whether constraints were enforced, by their names. */
const constraintsIn = (lessons: readonly LearnedRow[]): Record<string, boolean> =>
  Object.fromEntries(
    lessons.flatMap(({ what, value }) =>
      what.startsWith('constraint:') ? [[what.slice('constraint:'.length), value === 'true']] : [],
    ),
  );

interface About {
  readonly upstreams: ReadonlyMap<string, UpstreamEntry>;
  readonly learned: readonly LearnedRow[];
  readonly stays: readonly PinnedConversationsRow[];
  readonly experiments: readonly ExperimentRow[];
  readonly dialectOf: (modelId: string) => string | undefined;
}

function modelEntry(row: ModelRow, about: About): ModelEntry {
  const learned = about.learned.filter((finding) => finding.modelId === row.id);
  const capabilities = capabilitiesOf(row.capabilities);
  const { tools } = capabilities;
  const declaredTools = tools?.source === 'declared' ? tools.value : undefined;
  const routes = row.upstreams.flatMap((place): Route[] => {
    const upstream = about.upstreams.get(place.upstreamId);
    if (!upstream || !place.listed) return [];
    const lessons = learned.filter(({ upstreamId }) => upstreamId === upstream.id);
    const native = lessons.find(({ what }) => what === 'native-tools');
    return [
      {
        upstream,
        upstreamModel: place.upstreamModel,
        weight: place.weight,
        nativeTools: declaredTools ?? (native ? native.value === 'true' : tools?.value),
        marksCalls: lessons.some(({ what }) => what === 'marked-calls'),
        cutsPrompts: lessons.some(({ what, value }) => what === 'cuts-prompts' && value === 'true'),
        refuses: named('parameter:', lessons),
        api: lessons.find(({ what }) => what === 'api')?.value,
        retreats: named('retreat:', lessons),
        constraints: constraintsIn(lessons),
      },
    ];
  });
  const entry: ModelEntry = {
    id: row.id,
    name: row.name,
    strategy: { value: row.strategy as StrategyName, source: row.strategySource as Source },
    dialect: dialectOf(row, routes, about.dialectOf),
    holdBytes: holdBytesOf(row),
    ...settingsInEffect(row, learned),
    declaredTools,
    capabilities: capabilityValues(capabilities),
    demo: row.demo,
    routes,
  };
  const choice = choiceOf(entry, learned, about.stays);
  const experiment = experimentOf(entry, about.experiments);
  return choice || experiment ? { ...entry, choice, experiment } : entry;
}

/** The choice of `auto` on the upstream that is used first; a declaration takes precedence. */
function choiceOf(
  entry: ModelEntry,
  learned: readonly LearnedRow[],
  stays: readonly PinnedConversationsRow[],
): StrategyChoice | undefined {
  const { strategy, switchWhenUsedUp, declaredTools, routes } = entry;
  const upstream = routes[0]?.upstream;
  if ((strategy.value !== 'auto' && !switchWhenUsedUp.value) || declaredTools !== undefined || upstream === undefined)
    return undefined;
  const found = learned.find(({ what, upstreamId }) => what === CHOSEN_STRATEGY && upstreamId === upstream.id);
  if (found === undefined || (found.engineVersion ?? undefined) !== upstream.engineVersion) return undefined;
  const form = chosenForm(found.value);
  const stay = stays.find(({ modelId }) => modelId === entry.id);
  const before = { strategy: stay?.strategy as ChosenForm['strategy'], dialect: stay?.dialect ?? null };
  return {
    ...form,
    why: found.reason,
    model: inForm(entry, form, found.reason),
    before: stay && {
      conversations: new Set(stay.conversations),
      model: inForm(entry, before, 'It is what the conversation began with.'),
    },
  };
}

/** A conversation's position from 0 to 1; by the end of its hash, because the beginning selects the upstream. */
const drawn = (conversation: string): number => Number.parseInt(conversation.slice(-12), 16) / 16 ** 12;

/** The newest experiment of a model: its share of new conversations, or, after its end, those that took part. */
function experimentOf(entry: ModelEntry, rows: readonly ExperimentRow[]): StrategyExperiment | undefined {
  const row = rows.findLast(({ modelId }) => modelId === entry.id);
  if (row === undefined) return undefined;
  const { strategy, dialect, share } = row;
  const earlier = new Set(row.conversations);
  return {
    takes:
      row.state === 'running'
        ? (conversation) => drawn(conversation) * 100 < share && !earlier.has(conversation)
        : (conversation) => earlier.has(conversation),
    model: {
      ...entry,
      strategy: { value: strategy as StrategyName, source: 'declared' },
      ...(dialect !== null && { dialect: { value: dialect, source: 'declared' } }),
      chosen: { from: entry.strategy.value, why: 'experiment: the conversation takes part in it' },
    },
  };
}

/** A model with the choice of `auto`; with native calls it stays `auto`, which takes lessons into account. */
const inForm = (entry: ModelEntry, { strategy, dialect }: ChosenForm, why: string): ModelEntry => ({
  ...entry,
  strategy: { value: strategy === 'native' ? 'auto' : strategy, source: 'learned' },
  ...(dialect !== null && entry.dialect.source !== 'declared' && { dialect: { value: dialect, source: 'learned' } }),
  chosen: { from: entry.strategy.value, why: `auto: ${why}` },
});

function dialectOf(row: ModelRow, routes: readonly Route[], lookup: About['dialectOf']): Sourced<string> {
  if (row.dialect !== null) return { value: row.dialect, source: 'declared' };
  const upstreamModel = routes[0]?.upstreamModel;
  const found = (upstreamModel && lookup(upstreamModel)) ?? lookup(row.name);
  return { value: found || 'auto', source: 'default' };
}

function holdBytesOf(row: ModelRow): Sourced<number | null> {
  if (row.holdsWhole) return { value: null, source: 'declared' };
  if (row.holdBytes !== null) return { value: row.holdBytes, source: 'declared' };
  return { value: DEFAULT_HOLD_BYTES, source: 'default' };
}
