export * from './dialect.ts';
export { dialectNamed, dialects } from './dialects/index.ts';
export { newCallId, readCalls, type ReadCallsOptions } from './read-calls.ts';
export { type Rule, rules } from './rules.ts';
export { OpenTools } from './open-tools.ts';
export { type ParsedText, parseText, type TextToParse } from './parse-text.ts';
export * from './strategies/index.ts';
