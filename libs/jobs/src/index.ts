/** @internal Tests run it directly. */
export { ChooseStrategiesHandler } from './handlers/choose-strategies.handler.ts';
/** @internal Tests run it directly. */
export { EndExperimentsHandler } from './handlers/end-experiments.handler.ts';
export * from './job.ts';
export * from './job-runner-token.ts';
export { exportTurns } from './jobs/export-turns.ts';
export { trial as trialJob } from './jobs/trial.ts';
export * from './jobs.module.ts';
export { beginProbe } from './probe/begin-probe.ts';
export * from './probe/probe-client.ts';
export * from './runner.ts';
export { BullmqRunner } from './runners/bullmq.ts';
export * from './trial/trial-runner.ts';
