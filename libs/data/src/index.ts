export * from './directory.ts';
export * from './record.ts';
