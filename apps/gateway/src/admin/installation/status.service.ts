import type { api, ReplyOf } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { listKeys } from '@callsmith/data/keys';
import { Limiter } from '@callsmith/data/limits';
import { PostgresRecorder } from '@callsmith/data/record';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { hasRealCall } from '@callsmith/data/stats';
import { listUpstreams, UpstreamWatch } from '@callsmith/data/upstreams';
import { Injectable } from '@nestjs/common';
import { LastContact } from '../../proxy/observers/last-contact.ts';
import { type Caller, confinedTo, isAtLeast } from '../access/caller.ts';
import type { HttpExchange } from '../http-exchange.ts';

/** Reports current problems, and the progress of the setup checklist. */
@Injectable()
export class StatusService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly recorder: PostgresRecorder,
    private readonly watch: UpstreamWatch,
    private readonly contact: LastContact,
    private readonly limiter: Limiter,
  ) {}

  status(caller: Caller): ReplyOf<typeof api.installation.status> {
    const away = this.snapshot.awayMs;
    const { queued, lost, diskFull } = this.recorder.state;
    return {
      database: { ok: away === 0, since: away === 0 ? null : new Date(Date.now() - away).toISOString() },
      redis: this.#redis(),
      record: { queued, lost, diskFull },
      problems: [
        ...(isAtLeast(caller.role, 'admin') ? this.watch.problems() : this.#namedProblems()),
        ...this.#cutPrompts(),
      ],
    };
  }

  /** Upstream addresses are only for admins. */
  #namedProblems(): string[] {
    const silent = this.watch.states().filter(({ ok }) => !ok);
    return silent.map(({ name }) => `Upstream ${name} is not responding; retrying every 10 s.`);
  }

  /** Nothing else reports this: the responses only get worse. */
  #cutPrompts(): string[] {
    return this.snapshot
      .models()
      .flatMap(({ name, routes }) =>
        routes
          .filter(({ cutsPrompts }) => cutsPrompts)
          .map(
            ({ upstream }) =>
              `Upstream ${upstream.name} silently cuts long prompts of ${name}: give the model a longer context there.`,
          ),
      );
  }

  async checklist(caller: Caller, http: HttpExchange) {
    const [upstreams, keys] = await Promise.all([
      listUpstreams(this.prisma),
      listKeys(this.prisma, { teamId: confinedTo(caller), revoked: false, before: undefined, limit: 200 }),
    ]);
    const own = keys.filter(({ kind }) => kind !== 'demo');
    const used = own.filter(({ lastUsedAt }) => lastUsedAt !== null);
    return {
      upstream: upstreams.some(({ origin }) => origin !== 'demo'),
      key: own.length > 0,
      request: used.length > 0,
      call: await hasRealCall(
        this.prisma,
        used.map(({ id }) => id),
      ),
      lastContact: this.#lastContact(),
      baseUrl: `${http.baseUrl}/v1`,
    };
  }

  /** Null: this installation has no Redis. */
  #redis() {
    const { redisState } = this.limiter;
    if (!redisState) return null;
    return { ok: redisState.awaySince === undefined, since: redisState.awaySince?.toISOString() ?? null };
  }

  #lastContact() {
    const newest = this.contact.newest;
    return newest ? { ...newest, at: newest.at.toISOString() } : null;
  }
}
