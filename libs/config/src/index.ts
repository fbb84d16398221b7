export * from './config.module.ts';
export * from './config.ts';
export * from './read-settings.ts';
export * from './settings.mjs';
