export { maskedValue } from '@callsmith/turn';
export type { Budget } from './api/budgets.ts';
export { type ConfigDifference, type ConfigFile, type ConfigSection, configFile } from './api/config.ts';
export type { OwnKey, OwnRequest } from './api/connect.ts';
export type { Experiment } from './api/experiments.ts';
export type { TurnExport } from './api/exports.ts';
export * from './api/index.ts';
export type { ForeignKey, Key, KeyChange, KeyKind, NewKey, SharedKeyChange } from './api/keys.ts';
export {
  type McpServer,
  type McpServerChange,
  type McpTool,
  mcpAuthProblem,
  type NewMcpServer,
} from './api/mcp-servers.ts';
export type {
  BudgetHistory,
  Lesson,
  Model,
  NewModel,
  OutcomeCounts,
  StrategyChange,
  StrategyRates,
} from './api/models.ts';
export {
  mostColumns,
  type PlaygroundColumn,
  type PlaygroundEvent,
  type PlaygroundProgress,
  type PlaygroundResult,
} from './api/playground.ts';
export {
  mostSavedCases,
  type Probe,
  type ProbeCause,
  type ProbeHead,
  type ProbeSize,
  type ProbeState,
  type SavedCase,
  type SavedExpectation,
} from './api/probes.ts';
export type { Follows, Pattern } from './api/redaction.ts';
export type { ParseResult, ReplayRow } from './api/replays.ts';
export { filterNames, type SavedView, type ViewAddress, type ViewScreen, viewAddress } from './api/saved-views.ts';
export type { LinkKind, Me } from './api/session.ts';
export type { ModelOrder, UsageBy, UsageSums } from './api/stats.ts';
export type { Team, User } from './api/teams.ts';
export {
  type BuiltInName,
  builtInName,
  type Trial,
  type TrialAnswer,
  type TrialRow,
  type TrialState,
} from './api/trials.ts';
export type {
  Cluster,
  FacetCounts,
  GroupHistory,
  GroupWork,
  TurnDetail,
  TurnRow,
  WorkFilter,
} from './api/turns.ts';
export type { NewUpstream, Upstream, UpstreamChange } from './api/upstreams.ts';
export type {
  AlertDelivery,
  AlertEvent,
  AlertFormat,
  AlertScope,
  AlertTrigger,
  AlertTriggers,
  QuietHours,
  Webhook,
} from './api/webhooks.ts';
export { otherBaseUrl, shownBaseUrl, urlUnder, wholeBaseUrl } from './base-url.ts';
export { byCapability, type CapabilityName, capabilityLabel, capabilityNames } from './capabilities.ts';
export { ApiError, type Client, createClient } from './client.ts';
export * from './endpoint.ts';
export { foreignKeys } from './foreign-keys.ts';
export {
  /** @internal For tests. */
  defaultSettings,
  type ModelFallback,
  type ModelSettingsChange,
  type ModelSettingValues,
  type Price,
  type SettingName,
  settingNamed,
  settingNames,
} from './model-settings.ts';
export * from './openapi.ts';
export { judged, malformed, noOutcomes, shareOfJudged, unusable } from './outcome-counts.ts';
export * from './plain-message.ts';
export {
  type CallFacetName,
  type ColumnFacetName,
  columnNamed,
  csvColumns,
  type FacetName,
  type FilteredColumnName,
  facetLabels,
  facetName,
  filteredColumns,
  listedColumns,
  type RecordedValues,
  type StoredColumnName,
  storedColumns,
} from './recorded-columns.ts';
export * from './routes.ts';
export { streamEvents } from './stream-events.ts';
export * from './vocabulary.ts';
