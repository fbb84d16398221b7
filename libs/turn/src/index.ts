export * from './append.ts';
export * from './events.ts';
export * from './exact-numbers.ts';
export * from './faults.ts';
export * from './fold.ts';
export * from './json.ts';
export * from './turn.ts';
export { headerNameProblem, headerValueProblem, maskedValue } from './upstream-headers.mjs';
export * from './vocabulary.ts';
