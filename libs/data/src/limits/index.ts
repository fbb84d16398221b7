export { budgetCounter, LIMIT_STORE, type LimitStore, windowBegin, windowEnd } from './limit-store.ts';
export { DEFAULT_MAX_TOKENS, Limiter, type Refused } from './limiter.ts';
export { PostgresLimits } from './postgres-limits.ts';
export { RedisLimits } from './redis-limits.ts';
