export * from './connections.ts';
export * from './file-servers.ts';
export * from './result-text.ts';
export * from './tool-names.ts';
export * from './tool-schema.ts';
