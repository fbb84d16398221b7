export { demoIsOn } from './config-index.ts';
export {
  CONFIG_SNAPSHOT,
  type ConfigSnapshot,
  type KeyEntry,
  type Lesson,
  type ModelEntry,
  type Route,
  type UpstreamEntry,
} from './config-snapshot.ts';
export { PostgresConfigSnapshot } from './postgres-config-snapshot.ts';
