export * from './cpu-ms.ts';
export * from './forwarder.ts';
export * from './laws.ts';
export * from './mcp-server.ts';
export * from './nothing-recorded.ts';
export * from './receiver.ts';
export * from './splits.ts';
export * from './stores.ts';
