export {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
export { DatabaseInUse } from './folder-lock.ts';
