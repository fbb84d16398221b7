export { lastFailures, MOST_TRIED } from './failed-turns.ts';
export * from './trial-rows.ts';
export * from './trials.ts';
