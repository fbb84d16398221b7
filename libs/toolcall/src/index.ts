export * from './dialect.ts';
