export * from './directory.ts';
export * from './embedded-postgres.ts';
export * from './migrate.ts';
export * from './record.ts';
