export * from './front.ts';
export * from './upstream.ts';
