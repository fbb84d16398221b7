export * from './dialect.ts';
export { dialectFor, modelDialects } from './dialect-for.ts';
export { dialectNamed, dialects } from './dialects/index.ts';
export { OpenTools } from './open-tools.ts';
export { type ParsedText, parseText, type TextToParse } from './parse-text.ts';
export { newCallId, type PlainText, type ReadCallsOptions, readCalls } from './read-calls.ts';
export { type Rule, rules } from './rules.ts';
export * from './strategies/index.ts';
