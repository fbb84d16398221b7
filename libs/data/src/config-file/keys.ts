import type { Prisma } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { insertKeys, updateKey } from '../keys.ts';
import { digestOf, hashKey, hashKeyDigest, hintOf, hintOfDigest } from '../secrets/secrets.ts';
import type { ConfigContext, EntryOf, ManagedRow, Section } from './section.ts';

type Entry = EntryOf<'keys'>;

/** Keys by their secret or its SHA-256: a new secret is a new key, and the former one is revoked. */
export const keys: Section<Entry> = {
  secrets: [],
  nameOf: (entry) => `${hintOfEntry(entry)} of ${entry.owner}`,
  rows(place, entries) {
    const hashes = entries.flatMap((entry) => hashesOf(place, entry));
    return rowsWhere(place, { OR: [{ managedBy: 'file' }, { hash: { in: hashes } }] });
  },
  rowOf(place, entry, rows) {
    const hashes = hashesOf(place, entry);
    return (rows as readonly KeyRow[]).find(({ hash }) => hashes.includes(hash));
  },
  fieldsOf: ({ secret: _, sha256: __, expiresAt, ...fields }) => ({
    ...fields,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }),
  async put({ prisma, by, secretKey }, { owner, team, secret, sha256, allowedModels, ...terms }, row) {
    const { id: teamId } = await prisma.team.findUniqueOrThrow({ where: { name: team } });
    const data = {
      ...terms,
      teamId,
      holder: owner,
      allModels: allowedModels === null,
      allowedModels: allowedModels ?? [],
      tokensPerMinute: large(terms.tokensPerMinute),
      tokenBudget: large(terms.tokenBudget),
      spendBudget: large(terms.spendBudget),
      expiresAt: terms.expiresAt === null ? null : new Date(terms.expiresAt),
      managedBy: 'file',
    };
    if (row !== undefined) {
      await updateKey(prisma, by, row.id, 'key.change', { ...data, revokedAt: null });
      return;
    }
    const digest = sha256 ?? digestOf(secret as string);
    const identity = { hash: hashKeyDigest(secretKey, digest), hint: hintOfEntry({ secret, sha256 }) };
    await insertKeys(prisma, by, [{ ...data, ...identity, id: newId('key'), kind: 'imported', createdBy: by.actor }]);
  },
  without: 'disable',
  async disable({ prisma, by }, { id }) {
    await updateKey(prisma, by, id, 'key.revoke', { revokedAt: new Date() });
  },
  // A key's row is kept for its history, as when it is revoked by hand.
  async remove({ prisma, by }, { id }) {
    await updateKey(prisma, by, id, 'key.revoke', { revokedAt: new Date(), managedBy: null });
  },
};

/** All active keys. */
export const keysInForce = (place: ConfigContext): Promise<readonly ManagedRow[]> =>
  rowsWhere(place, { revokedAt: null });

async function rowsWhere({ prisma }: ConfigContext, where: Prisma.ApiKeyWhereInput): Promise<readonly KeyRow[]> {
  const rows = await prisma.apiKey.findMany({
    where: { ...where, kind: { in: ['issued', 'imported'] } },
    include: { team: { select: { name: true } } },
    orderBy: { id: 'asc' },
  });
  return rows.map((row) => ({
    id: row.id,
    hash: row.hash,
    name: `${row.hint} of ${row.holder}`,
    managed: row.managedBy === 'file',
    active: row.revokedAt === null,
    fields: {
      owner: row.holder,
      team: row.team.name,
      allowedModels: row.allModels ? null : row.allowedModels,
      requestsPerMinute: row.requestsPerMinute,
      tokensPerMinute: count(row.tokensPerMinute),
      concurrentStreams: row.concurrentStreams,
      tokenBudget: count(row.tokenBudget),
      spendBudget: count(row.spendBudget),
      budgetPeriod: row.budgetPeriod,
      expiresAt: row.expiresAt?.toISOString() ?? null,
    },
  }));
}

interface KeyRow extends ManagedRow {
  readonly hash: string;
}

const hintOfEntry = ({ secret, sha256 }: Pick<Entry, 'secret' | 'sha256'>): string =>
  secret === undefined ? hintOfDigest(sha256 as string) : hintOf(secret);

/** All possible stored hashes of a key: as an imported or a native one, under the SECRET_KEY or the former one. */
function hashesOf(
  { secretKey, previousSecretKey }: Omit<ConfigContext, 'prisma'>,
  { secret, sha256 }: Pick<Entry, 'secret' | 'sha256'>,
): string[] {
  return [secretKey, previousSecretKey].flatMap((key) => {
    if (key === undefined) return [];
    const taken = hashKeyDigest(key, sha256 ?? digestOf(secret as string));
    return secret === undefined ? [taken] : [taken, hashKey(key, secret)];
  });
}

const count = (value: bigint | null): number | null => (value === null ? null : Number(value));
const large = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
