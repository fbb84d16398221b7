import {
  byCapability,
  type Model,
  noOutcomes,
  type OutcomeCounts,
  type SettingName,
  settingNamed,
  settingNames,
} from '@callsmith/contracts';
import { capabilitiesOf, type ModelDetail } from '@callsmith/data/models';
import type { ModelEntry } from '@callsmith/data/snapshot';
import type { Breaker } from '../../proxy/attempts/breaker.ts';
import { managedBy } from '../managed.ts';
import { inEffect } from './in-effect.ts';

/** A model's recorded last 24 hours. */
export interface ModelActivity {
  readonly outcomes: OutcomeCounts;
  readonly lastUsedAt: Date | null;
}

export const noActivity: ModelActivity = {
  outcomes: noOutcomes,
  lastUsedAt: null,
};

/** The counts by outcome among other sums. */
export const outcomesIn = ({ clean, repaired, invalid, failed, none }: OutcomeCounts): OutcomeCounts => ({
  clean,
  repaired,
  invalid,
  failed,
  none,
});

/** A model as the API shows it: effective settings from the config snapshot; the rest from its row. */
export function modelView(
  row: ModelDetail,
  entry: ModelEntry,
  { activity, breaker }: { readonly activity: ModelActivity; readonly breaker: Pick<Breaker, 'stateOf'> },
  now = new Date(),
): Model {
  return {
    id: row.id,
    name: row.name,
    aliases: row.aliases,
    strategy: entry.strategy,
    inEffect: inEffect(entry),
    dialect: entry.dialect,
    holdBytes: entry.holdBytes,
    ...settingsView(entry),
    capabilities: capabilitiesView(row),
    demo: entry.demo,
    managedBy: managedBy(row),
    routes: row.upstreams.map(({ upstreamId, upstream, upstreamModel, weight, source }) => ({
      upstreamId,
      upstream: upstream.name,
      upstreamModel,
      weight,
      source: source as Model['routes'][number]['source'],
      engineVersion: upstream.engineVersion,
      outOfRotation: breaker.stateOf({ upstreamId, model: upstreamModel }) ?? null,
      learned: nativeToolsLearned(row, upstreamId, now),
    })),
    learned: lessonsOf(row, now),
    outcomes: activity.outcomes,
    lastUsedAt: activity.lastUsedAt?.toISOString() ?? null,
  };
}

const settingsView = (entry: ModelEntry): Pick<Model, SettingName> =>
  Object.fromEntries(
    settingNames.map((name) => [name, (settingNamed(name).bare ? entry[name]?.value : entry[name]) ?? null]),
  ) as Pick<Model, SettingName>;

function capabilitiesView(row: ModelDetail): Model['capabilities'] {
  const capabilities = capabilitiesOf(row.capabilities);
  return byCapability((name) => capabilities[name] ?? null);
}

/** What was learned and is in effect. */
const lessonsOf = ({ learned, upstreams }: ModelDetail, now: Date): Model['learned'] =>
  learned
    .flatMap((row) => {
      const place = upstreams.find(({ upstreamId }) => upstreamId === row.upstreamId);
      return place && row.expiresAt > now ? [{ row, upstream: place.upstream.name }] : [];
    })
    .sort((a, b) => b.row.at.getTime() - a.row.at.getTime())
    .map(({ row: { upstreamId, what, value, reason, at, expiresAt, engineVersion }, upstream }) => ({
      upstreamId,
      upstream,
      what,
      value,
      reason,
      at: at.toISOString(),
      expiresAt: expiresAt.toISOString(),
      engineVersion,
    }));

function nativeToolsLearned(
  { learned }: ModelDetail,
  upstreamId: string,
  now: Date,
): Model['routes'][number]['learned'] {
  const found = learned.find(
    (row) => row.upstreamId === upstreamId && row.what === 'native-tools' && row.expiresAt > now,
  );
  if (!found) return null;
  const { value, reason, at, expiresAt, engineVersion } = found;
  return {
    nativeTools: value === 'true',
    reason,
    at: at.toISOString(),
    expiresAt: expiresAt.toISOString(),
    engineVersion,
  };
}
