export * from './admin/index.ts';
export type { AlertMessage } from './alerts/alert.ts';
export { Alerts } from './alerts/alerts.ts';
export * from './alerts/webhooks.ts';
export { capabilitiesOf, declaring } from './capabilities.ts';
export { type By, CHANNEL, type Changed } from './change.ts';
export { DataModule, type DataOptions } from './data.module.ts';
export { dropDays, makeDays } from './days.ts';
export { credentialOf, demoIsOn } from './directory/snapshot.ts';
export { type DirectoryOptions, StoreDirectory } from './directory/store-directory.ts';
export * from './directory.ts';
export * from './embedded-postgres.ts';
export * from './env-upstream.ts';
export { csvRow } from './exports/csv.ts';
export { fileOfTurns } from './exports/file-of-turns.ts';
export * from './exports/turn-exports.ts';
export { turnView } from './exports/turn-view.ts';
export * from './ids.ts';
export * from './installation-settings.ts';
export {
  budgetCounter,
  type LimitStore,
  type Unit as LimitUnit,
  windowBegin,
  windowEnd,
} from './limits/limit-store.ts';
export * from './limits/limiter.ts';
export { PostgresLimits } from './limits/postgres-limits.ts';
export { RedisLimits } from './limits/redis-limits.ts';
export * from './migrate.ts';
export * from './passwords.ts';
export * from './prisma.ts';
export { clearExpired, pruneRecord } from './prune.ts';
export {
  type Follows,
  MOST_OWN_SECRETS,
  OWN_SECRETS_NAME,
  type OwnSecret,
  ownSecretsOf,
} from './record/own-secrets.ts';
export { BUILT_IN_SECRETS, redact, redactWith } from './record/redact.ts';
export { recordedPieces } from './record/storable.ts';
export { type RecorderOptions, type RecordState, StoreRecorder } from './record/store-recorder.ts';
export * from './record.ts';
export * from './remove-demo.ts';
export * from './response-states.ts';
export { percentile } from './rollup/histogram.ts';
export { rollUp } from './rollup/roll-up.ts';
export * from './secrets.ts';
export * from './seed.ts';
export * from './stats/affected.ts';
export { aligned, grainFor, type StatsFilter, stepFor } from './stats/filter.ts';
export * from './stats/findings.ts';
export * from './stats/outcomes.ts';
export * from './stats/overview.ts';
export * from './stats/tools.ts';
export * from './tokens.ts';
export * from './trials/index.ts';
export { clustersOf, type FailureCluster } from './turns/clusters.ts';
export { type FacetCounts, type FacetName, type FacetValue, facetsOf } from './turns/facets.ts';
export type { TurnFilter } from './turns/filter.ts';
export { findTurn, listTurns, type TurnRow } from './turns/list.ts';
export { bodyOf, callsOf } from './turns/show.ts';
export { baseUrlOf, checkUpstreamUrl, guardedLookup, RefusedAddress } from './upstreams/address.ts';
export { Unreachable } from './upstreams/ask.ts';
export { type Discovered, type DiscoveredModel, discover, type UpstreamKind } from './upstreams/discover.ts';
export { type UpstreamLook, UpstreamWatch } from './upstreams/upstream-watch.ts';
