import { CONFIG, type Config } from '@callsmith/config';
import type { api, ForeignKey, HandlerInput, Key, KeyChange, NewKey, ReplyOf } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import {
  findKey,
  findKeys,
  insertKeys,
  insertMissingKeys,
  type KeyRow,
  type KeyRowChange,
  knownHashes,
  listKeys,
  type NewKeyRow,
  rotateKey,
  updateKey,
  updateKeys,
} from '@callsmith/data/keys';
import { budgetsIn, LIMIT_STORE, type LimitStore, windowBegin } from '@callsmith/data/limits';
import { listModels } from '@callsmith/data/models';
import { digestOf, hashKey, hashKeyDigest, hintOf, hintOfDigest, newApiKey } from '@callsmith/data/secrets';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { findTeam } from '@callsmith/data/teams';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import { type Caller, refuseOtherTeam, teamToFilterBy } from '../access/caller.ts';
import { fieldFault } from '../field-fault.ts';
import { refuseManaged } from '../managed.ts';
import { changeRow, checkTerms, termsRow } from './key-terms.ts';
import { keyView } from './key-view.ts';

/** A new key with its secret. */
export interface IssuedKey {
  readonly key: Key;
  readonly secret: string;
}

interface KeysAsk {
  readonly teamId?: string | undefined;
  readonly revoked: 'true' | 'false';
  readonly cursor?: string | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
}

/** API keys: a secret is returned once, when it is created; then only its hash is stored. */
@Injectable()
export class KeysService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    @Inject(LIMIT_STORE) private readonly limits: LimitStore,
  ) {}

  async list({ teamId, revoked, cursor, q, limit }: KeysAsk, caller: Caller) {
    const rows = await listKeys(this.prisma, {
      teamId: teamToFilterBy(caller, teamId),
      revoked: revoked === 'true',
      before: cursor,
      q,
      limit: limit + 1,
    });
    const items = rows.slice(0, limit).map(keyView);
    return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async show(id: string, caller: Caller): Promise<Key> {
    return keyView(await this.#own(id, caller));
  }

  async issue({ holder, ...terms }: NewKey, caller: Caller): Promise<IssuedKey> {
    const [issued] = await this.issueFor([holder], terms, caller);
    return issued!;
  }

  /** Issues a key with the same limits for each owner, all or none. */
  async issueFor(
    holders: readonly string[],
    { teamId, ...terms }: Omit<NewKey, 'holder'>,
    caller: Caller,
  ): Promise<IssuedKey[]> {
    await this.#checkNew(teamId, terms, caller);
    const made = holders.map((holder) => this.#make({ teamId, holder, ...termsRow(terms) }, caller));
    const rows = await insertKeys(
      this.prisma,
      { actor: caller.actor },
      made.map(({ row }) => row),
    );
    await this.snapshot.refresh();
    return rows.map((row, at) => ({ key: keyView(row), secret: made[at]!.secret }));
  }

  /** Imports keys of another system. Keys that exist already are left unchanged and named. */
  async importMany(
    { teamId, keys, ...terms }: Omit<NewKey, 'holder'> & { readonly keys: readonly ForeignKey[] },
    caller: Caller,
  ): Promise<ReplyOf<typeof api.keys.importMany>> {
    await this.#checkNew(teamId, terms, caller);
    const foreign = keys.map((foreignKey) => this.#foreign(foreignKey));
    const existing = await knownHashes(
      this.prisma,
      foreign.flatMap(({ hash, ownHash }) => (ownHash === undefined ? hash : [hash, ownHash])),
    );
    const seen = new Set<string>();
    const found = foreign.map(({ hash, ownHash, ...rest }) => {
      const repeated = seen.has(hash);
      seen.add(hash);
      const exists = existing.has(hash) || (ownHash !== undefined && existing.has(ownHash));
      const row = { id: newId('key'), teamId, hash, kind: 'imported', createdBy: caller.actor, ...rest };
      return { row: { ...row, ...termsRow(terms) }, reason: exists ? 'exists' : repeated ? 'repeated' : undefined };
    });
    const rows = await insertMissingKeys(
      this.prisma,
      { actor: caller.actor },
      found.filter(({ reason }) => reason === undefined).map(({ row }) => row),
    );
    await this.snapshot.refresh();
    const inserted = new Map(rows.map((row) => [row.id, row]));
    return {
      imported: found.flatMap(({ row }) => inserted.get(row.id) ?? []).map(keyView),
      duplicates: found.flatMap(({ row, reason }, at) =>
        inserted.has(row.id)
          ? []
          : [{ at, holder: row.holder, hint: row.hint, reason: reason === 'repeated' ? reason : 'exists' }],
      ),
    };
  }

  /** What is stored of an imported key; `ownHash`: the hash that it would have as a key of this gateway. */
  #foreign({ holder, secret, sha256 }: ForeignKey): { holder: string; hash: string; ownHash?: string; hint: string } {
    const { secretKey } = this.config;
    if (secret === undefined) return { holder, hash: hashKeyDigest(secretKey, sha256!), hint: hintOfDigest(sha256!) };
    const hash = hashKeyDigest(secretKey, digestOf(secret));
    return { holder, hash, ownHash: hashKey(secretKey, secret), hint: hintOf(secret) };
  }

  async #checkNew(teamId: string, terms: Parameters<typeof checkTerms>[0], caller: Caller): Promise<void> {
    await this.#checkTeam(teamId, caller, 'teamId');
    checkTerms(terms, await this.#modelNames());
  }

  async #checkTeam(teamId: string, caller: Caller, param: string): Promise<void> {
    refuseOtherTeam(caller, teamId, 'team');
    if (!(await findTeam(this.prisma, teamId))) throw new Fault('not_found', 'Team not found.', { param });
  }

  async change(id: string, changes: KeyChange, caller: Caller): Promise<Key> {
    const row = await this.#own(id, caller);
    if (row.revokedAt) throw new Fault('conflict', 'This key is revoked.');
    refuseManaged(row, 'This key');
    checkChange(row, changes, await this.#modelNames());
    return this.#update(id, 'key.change', changeRow(changes), caller);
  }

  /** Changes or revokes several keys, all or none; the first that cannot be changed is named. */
  async changeMany(
    { ids, change, revoke }: HandlerInput<typeof api.keys.changeMany>['body'],
    caller: Caller,
  ): Promise<{ changed: Key[] }> {
    if (revoke === Object.keys(change).length > 0)
      throw fieldFault({ path: 'change', message: 'must contain at least one change, or be empty if revoke is true' });
    if (change.teamId !== undefined) await this.#checkTeam(change.teamId, caller, 'change.teamId');
    const models = await this.#modelNames();
    const rows = new Map((await findKeys(this.prisma, ids)).map((row) => [row.id, row]));
    for (const [at, id] of ids.entries()) {
      const row = rows.get(id);
      if (!row) throw new Fault('not_found', 'Key not found.', { param: `ids[${at}]` });
      refuseOtherTeam(caller, row.teamId, 'key');
      refuseManaged(row, `The key of ${row.holder}`);
      if (row.revokedAt && !revoke) throw new Fault('conflict', `The key of ${row.holder} is revoked.`);
      if (!revoke) checkChange(row, change, models);
      if (change.teamId !== undefined && !mayRotate(row))
        throw new Fault('conflict', `The key of ${row.holder} is set by the installation and stays in its team.`);
    }
    const changed = await updateKeys(
      this.prisma,
      { actor: caller.actor },
      {
        ids: [...rows.values()].filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id),
        action: revoke ? 'key.revoke' : 'key.change',
        data: revoke ? { revokedAt: new Date() } : changeRow(change),
      },
    );
    await this.snapshot.refresh();
    return { changed: changed.map(keyView) };
  }

  /** The old key keeps working for `graceSeconds`, or until it expires. */
  async rotate(id: string, grace: { graceSeconds: number }, caller: Caller): Promise<IssuedKey> {
    return this.rotateOwn(await this.#own(id, caller), grace, caller);
  }

  /** Rotates a key after the caller's rights were checked. */
  async rotateOwn(old: KeyRow, { graceSeconds }: { graceSeconds: number }, caller: Caller): Promise<IssuedKey> {
    const { id } = old;
    refuseRotation(old);
    refuseManaged(old, 'This key');
    const graceEnd = new Date(Date.now() + graceSeconds * 1000);
    const endsAt = old.expiresAt && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
    const { row, secret } = this.#make(successorOf(old), caller);
    const made = await rotateKey(this.prisma, { actor: caller.actor }, { id, endsAt, successor: row });
    await this.#takeBudgetAlong(old, made).catch(() => {}); // if the counter store is unreachable, counting restarts
    await this.snapshot.refresh();
    return { key: keyView(made), secret };
  }

  /** The new key keeps the used part of the budget. */
  async #takeBudgetAlong(old: KeyRow, successor: KeyRow): Promise<void> {
    const later = budgetsIn('key', successor);
    for (const { counter, unit, period } of budgetsIn('key', old)) {
      const next = later.find((budget) => budget.unit === unit);
      if (next === undefined) continue;
      const used = await this.limits.read(counter, period);
      await this.limits.add(next.counter, period, windowBegin(period, Date.now()), used);
    }
  }

  async revoke(id: string, caller: Caller): Promise<Key> {
    const row = await this.#own(id, caller);
    if (row.revokedAt) return keyView(row);
    refuseManaged(row, 'This key');
    return this.#update(id, 'key.revoke', { revokedAt: new Date() }, caller);
  }

  /** A key that the caller may see and that is still active. Throws a 409 for one that has ended. */
  async active(id: string, caller: Caller): Promise<KeyRow> {
    const row = await this.#own(id, caller);
    if (!isActive(row)) throw new Fault('conflict', 'This key was revoked, rotated or has expired.');
    return row;
  }

  async #update(id: string, action: string, data: KeyRowChange, caller: Caller): Promise<Key> {
    const row = await updateKey(this.prisma, { actor: caller.actor }, id, action, data);
    await this.snapshot.refresh();
    return keyView(row);
  }

  async #own(id: string, caller: Caller): Promise<KeyRow> {
    const row = await findKey(this.prisma, id);
    if (!row) throw new Fault('not_found', 'Key not found.');
    refuseOtherTeam(caller, row.teamId, 'key');
    return row;
  }

  async #modelNames(): Promise<ReadonlySet<string>> {
    return new Set((await listModels(this.prisma)).map(({ name }) => name));
  }

  #make(terms: Omit<NewKeyRow, 'id' | 'hash' | 'hint'>, caller: Caller): { row: NewKeyRow; secret: string } {
    const secret = newApiKey();
    const hash = hashKey(this.config.secretKey, secret);
    return { secret, row: { ...terms, id: newId('key'), hash, hint: hintOf(secret), createdBy: caller.actor } };
  }
}

/** Throws a `Fault` if this change is not allowed; `models`: the names of all models. */
function checkChange(row: KeyRow, changes: KeyChange, models: ReadonlySet<string>): void {
  const { tokenBudget, spendBudget, budgetPeriod } = { ...keyView(row), ...changes };
  checkTerms({ ...changes, tokenBudget, spendBudget, budgetPeriod }, models);
}

/** True if a key is neither revoked nor rotated, and has not expired. */
export const isActive = ({ revokedAt, rotatedTo, expiresAt }: KeyRow): boolean =>
  !revokedAt && !rotatedTo && !(expiresAt && expiresAt <= new Date());

/** False for the installation's own keys. */
export const mayRotate = ({ kind }: KeyRow): boolean => kind !== 'env' && kind !== 'demo';

function refuseRotation(key: KeyRow): void {
  const { revokedAt, expiresAt, rotatedTo } = key;
  if (!mayRotate(key)) throw new Fault('conflict', 'This key is set by the installation and cannot be rotated here.');
  if (revokedAt || (expiresAt && expiresAt <= new Date()))
    throw new Fault('conflict', 'This key is no longer active. Create a new one.');
  if (rotatedTo) throw new Fault('conflict', 'This key was already rotated.');
}

const successorOf = (old: KeyRow): Omit<NewKeyRow, 'id' | 'hash' | 'hint'> => ({
  teamId: old.teamId,
  holder: old.holder,
  allowedModels: old.allowedModels,
  allModels: old.allModels,
  requestsPerMinute: old.requestsPerMinute,
  tokensPerMinute: old.tokensPerMinute,
  concurrentStreams: old.concurrentStreams,
  tokenBudget: old.tokenBudget,
  spendBudget: old.spendBudget,
  budgetPeriod: old.budgetPeriod,
  expiresAt: old.expiresAt,
});
