export * from './dialect.ts';
export { dialectFor, modelDialects } from './dialect-for.ts';
export { dialectNamed, dialects } from './dialects/index.ts';
export { OpenTools } from './open-tools.ts';
export { newCallId, type ParseCallsOptions, parseCalls } from './parse-calls.ts';
export { type ParsedText, parseText, type TextToParse } from './parse-text.ts';
export { type Rule, rules } from './rules.ts';
export * from './strategies/index.ts';
