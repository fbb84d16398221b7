export * from './contact.ts';
export * from './log.ts';
export * from './metrics.ts';
export * from './observer.ts';
export * from './observers.ts';
export * from './outcome.ts';
export * from './ring.ts';
export * from './transcript.ts';
