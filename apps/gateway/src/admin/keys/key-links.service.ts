import { CONFIG, type Config } from '@callsmith/config';
import type { Key, NewKey } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { findKey } from '@callsmith/data/keys';
import { hashLink, newToken, seal, unseal } from '@callsmith/data/secrets';
import { readSetting, SETTINGS_NAME, settingsOf } from '@callsmith/data/settings';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { consumeLink, findLink, insertLinks } from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { LINK_MS, linkTo } from '../session/links.service.ts';
import { keyView } from './key-view.ts';
import { KeysService } from './keys.service.ts';
import { modelsOfKey } from './models-of-key.ts';

/** A retrieved key, with everything that its owner needs to set up a client. */
export interface FetchedKey {
  readonly key: Key;
  readonly secret: string;
  readonly baseUrl: string;
  readonly models: { name: string; contextLength: number | null }[];
  readonly bodyRetentionDays: number;
}

/** Hands keys over: the secret waits, encrypted, behind a link that works once; who issued it never sees it. */
@Injectable()
export class KeyLinksService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly keys: KeysService,
  ) {}

  async issueMany(
    { holders, ...terms }: Omit<NewKey, 'holder'> & { holders: string[] },
    caller: Caller,
    http: HttpExchange,
  ): Promise<{ issued: { key: Key; link: string }[] }> {
    const issued = await this.keys.issueFor(holders, terms, caller);
    const expiresAt = new Date(Date.now() + LINK_MS);
    const handed = issued.map(({ key, secret }) => ({ key, secret, token: newToken() }));
    await insertLinks(
      this.prisma,
      handed.map(({ key, secret, token }) => ({
        hash: hashLink(this.config.secretKey, token),
        kind: 'key',
        keyId: key.id,
        sealed: seal(this.config.secretKey, secret),
        expiresAt,
      })),
    );
    return { issued: handed.map(({ key, token }) => ({ key, link: linkTo(http, token) })) };
  }

  async fetch(token: string, http: HttpExchange): Promise<FetchedKey> {
    const hash = hashLink(this.config.secretKey, token);
    if ((await findLink(this.prisma, hash))?.kind !== 'key') throw new Fault('link_not_valid');
    const link = await consumeLink(this.prisma, hash);
    const row = link?.keyId ? await findKey(this.prisma, link.keyId) : null;
    if (!link?.sealed || !row || row.revokedAt) throw new Fault('link_not_valid');
    const key = keyView(row);
    return {
      key,
      secret: unseal(this.config.secretKey, link.sealed),
      baseUrl: `${http.baseUrl}/v1`,
      models: modelsOfKey(key, this.snapshot.models()).map(({ name, contextLength }) => ({
        name,
        contextLength: contextLength?.value ?? null,
      })),
      bodyRetentionDays: settingsOf(await readSetting(this.prisma, SETTINGS_NAME)).bodyDays,
    };
  }
}
