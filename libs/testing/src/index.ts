export * from './forwarder.ts';
export * from './stores.ts';
