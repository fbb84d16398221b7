/** @internal Tests keep the server that they started. */
export type { EmbeddedPostgres } from './embedded-postgres.ts';
export {
  type EmbeddedOptions,
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
export { DatabaseInUse } from './folder-lock.ts';
export { knownFolder } from './location.ts';
