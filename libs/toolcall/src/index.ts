export { type AnswerBounds, defaultBounds } from './answer-bounds.ts';
export * from './dialect.ts';
export { dialectFor, modelDialects } from './dialect-for.ts';
export { dialectNamed, dialects } from './dialects/index.ts';
export { toolOfArguments } from './finalize/infer-tool.ts';
export type { Unusable } from './finalize/unusable.ts';
export { schemaMismatch } from './finalize/validate-arguments.ts';
export { OpenTools } from './open-tools.ts';
export { newCallId, parseCalls, type UnusableAnswer } from './parse-calls.ts';
/** @public */
export { type ParsedText, parseText, type TextToParse } from './parse-text.ts';
export * from './strategies/index.ts';
