export * from './job.ts';
export { jobs } from './jobs/index.ts';
export { trial as trialJob } from './jobs/trial.ts';
export * from './jobs.module.ts';
export * from './runner.ts';
export { type BullmqOptions, BullmqRunner } from './runners/bullmq.ts';
export { InlineRunner } from './runners/inline.ts';
export { builtInNames } from './trial/built-in-requests.ts';
export * from './trial/tries-turns.ts';
