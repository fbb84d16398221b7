export * from './job.ts';
export { exportTurns } from './jobs/export-turns.ts';
export { trial as trialJob } from './jobs/trial.ts';
export * from './jobs.module.ts';
export * from './probe/asks-models.ts';
export * from './runner.ts';
export { BullmqRunner } from './runners/bullmq.ts';
export * from './tokens.ts';
export * from './trial/tries-turns.ts';
