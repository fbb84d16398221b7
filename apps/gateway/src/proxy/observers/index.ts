export * from './last-contact-observer.ts';
export * from './log.ts';
export * from './metrics.ts';
export * from './observer.ts';
export * from './observers.ts';
export * from './outcome.ts';
export * from './recent-raw-calls.ts';
export * from './transcript.ts';
