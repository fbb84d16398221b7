import type { Key } from '@callsmith/contracts';
import type { KeyRow } from '@callsmith/data/keys';
import { managedBy } from '../managed.ts';

/** A key as the API shows it. */
export function keyView(row: KeyRow): Key {
  return {
    id: row.id,
    teamId: row.teamId,
    teamName: row.team.name,
    storesBodies: row.team.storesBodies,
    holder: row.holder,
    hint: row.hint,
    kind: row.kind as Key['kind'],
    allowedModels: row.allModels ? null : row.allowedModels,
    requestsPerMinute: row.requestsPerMinute,
    tokensPerMinute: count(row.tokensPerMinute),
    concurrentStreams: row.concurrentStreams,
    tokenBudget: count(row.tokenBudget),
    spendBudget: count(row.spendBudget),
    budgetPeriod: row.budgetPeriod as Key['budgetPeriod'],
    createdAt: row.createdAt.toISOString(),
    expiresAt: instant(row.expiresAt),
    revokedAt: instant(row.revokedAt),
    rotatedTo: row.rotatedTo,
    lastUsedAt: instant(row.lastUsedAt),
    lastClient: row.lastClient,
    managedBy: managedBy(row),
  };
}

const count = (value: bigint | null): number | null => (value === null ? null : Number(value));

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;
