export { boundMembers, tooManyMembers } from './bound-members.ts';
export { CollectedBytes } from './collected-bytes.ts';
export { afterOthers, yieldToOthers } from './event-loop.ts';
export { lines } from './lines.ts';
export { exceededBound, type MemberBounds, MemberCount } from './member-count.ts';
export * from './sse.ts';
export * from './stage.ts';
export * from './utf8.ts';
