export * from './sse.ts';
export * from './stage.ts';
export * from './utf8.ts';
