export { inspectRedis } from './inspect-redis.ts';
export { budgetsIn, type KeyBudget } from './key-budgets.ts';
export { LIMIT_STORE, type LimitStore, windowBegin, windowEnd } from './limit-store.ts';
/** @internal Tests finish reservations. */
export type { Amounts } from './limiter.ts';
export { DEFAULT_MAX_TOKENS, Limiter, type Refused } from './limiter.ts';
/** @internal The module chooses a store; tests name both. */
export { PostgresLimits } from './postgres-limits.ts';
/** @internal */
export { RedisLimits } from './redis-limits.ts';
export { spendOf } from './spend.ts';
