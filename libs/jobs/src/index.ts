export * from './job.ts';
export { jobs } from './jobs/index.ts';
export * from './jobs.module.ts';
export * from './runner.ts';
export { type BullmqOptions, BullmqRunner } from './runners/bullmq.ts';
export { InlineRunner } from './runners/inline.ts';
