import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, Message } from '@callsmith/turn';
import type { PrismaService } from './database/prisma.ts';
import { CannotUnseal, seal, unseal } from './secrets/secrets.ts';

/** The stored data of a response of `/v1/responses`: the neutral conversation and the response object. */
export interface StoredResponse {
  readonly messages: readonly Message[];
  readonly response: JsonObject;
}

/** The owner and the id. */
export interface StoredResponseId {
  readonly id: string;
  /** The API key that made the request; no other has access. */
  readonly keyId: string;
}

interface SealedRow {
  readonly ciphertext: string;
  readonly cipherKeyId: string;
}

const DAY_MS = 86_400_000;
/** Maximum number of responses that are being written. */
const MAX_PENDING = 1000;
/** How long the end of a response waits for its storage. */
const WAIT_MS = 1000;

/** Stored state of `/v1/responses`: encrypted, scoped by key, with its own expiry (D-29). */
export class StoredResponses {
  /** Responses that are being stored, by id: the next turn may arrive before that is done. */
  private away = false;
  private lost: Date | undefined;
  private readonly pending = new Map<string, { readonly keyId: string; readonly stored: StoredResponse }>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly options: {
      readonly secretKey: string;
      /** Days that a response is stored. */
      readonly days: number;
      readonly reportError?: (error: unknown) => void;
    },
  ) {}

  /** When a response could last not be written; undefined: all were, since. */
  get lostAt(): Date | undefined {
    return this.lost;
  }

  /**
   * Stores a response; this process finds it immediately. Resolves when every process does, after at most a second;
   * immediately while the store is known to be unreachable. Never rejects.
   */
  save(
    { id, keyId }: StoredResponseId,
    about: { readonly previousId: string | undefined; readonly model: string },
    stored: StoredResponse,
  ): Promise<void> {
    if (this.pending.size >= MAX_PENDING) return Promise.resolve();
    this.pending.set(id, { keyId, stored });
    const wasAway = this.away;
    const written = this.write(id, keyId, about, stored)
      .then(
        () => {
          this.away = false;
        },
        (error) => {
          this.away = true;
          this.lost = new Date();
          this.options.reportError?.(error);
        },
      )
      .finally(() => this.pending.delete(id));
    return wasAway ? Promise.resolve() : Promise.race([written, this.waitAtMost(id)]);
  }

  /** After a store has not answered for a second, nothing waits for it until it answers again. */
  private async waitAtMost(id: string): Promise<void> {
    await sleep(WAIT_MS, undefined, { ref: false });
    if (this.pending.has(id)) this.away = true;
  }

  /** The response of that id; undefined if there is none, or it is another key's. */
  async find({ id, keyId }: StoredResponseId): Promise<StoredResponse | undefined> {
    const pending = this.pending.get(id);
    if (pending) return pending.keyId === keyId ? pending.stored : undefined;
    const row = await this.prisma.responseState.findFirst({ where: { id, keyId, expiresAt: { gt: new Date() } } });
    return row ? this.opened(row) : undefined;
  }

  /** Those of these ids that exist and belong to this key. */
  async findAll(ids: readonly string[], keyId: string): Promise<ReadonlyMap<string, StoredResponse>> {
    const found = new Map<string, StoredResponse>();
    for (const id of ids) {
      const pending = this.pending.get(id);
      if (pending?.keyId === keyId) found.set(id, pending.stored);
    }
    const others = ids.filter((id) => !this.pending.has(id));
    if (others.length === 0) return found;
    const where = { id: { in: others }, keyId, expiresAt: { gt: new Date() } };
    for (const row of await this.prisma.responseState.findMany({ where })) {
      const stored = this.opened(row);
      if (stored) found.set(row.id, stored);
    }
    return found;
  }

  private opened({ ciphertext, cipherKeyId: keyId }: SealedRow): StoredResponse | undefined {
    try {
      return JSON.parse(unseal(this.options.secretKey, { ciphertext, keyId })) as StoredResponse;
    } catch (error) {
      if (error instanceof CannotUnseal) return undefined;
      throw error;
    }
  }

  /** Deletes a response; false if there was none of that id for this key. */
  async remove({ id, keyId }: StoredResponseId): Promise<boolean> {
    const { count } = await this.prisma.responseState.deleteMany({ where: { id, keyId } });
    const pending = this.pending.get(id);
    if (pending?.keyId === keyId) this.pending.delete(id);
    return count > 0 || pending?.keyId === keyId;
  }

  private async write(
    id: string,
    keyId: string,
    { previousId, model }: { readonly previousId: string | undefined; readonly model: string },
    stored: StoredResponse,
  ): Promise<void> {
    const { ciphertext, keyId: cipherKeyId } = seal(this.options.secretKey, JSON.stringify(stored));
    await this.prisma.responseState.create({
      data: {
        id,
        keyId,
        previousId: previousId ?? null,
        model,
        ciphertext,
        cipherKeyId,
        expiresAt: new Date(Date.now() + this.options.days * DAY_MS),
      },
    });
  }
}
