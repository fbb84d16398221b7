export * from './directory.ts';
export * from './migrate.ts';
export * from './record.ts';
