import { CONFIG, type Config } from '@callsmith/config';
import type { NewUpstream, Upstream, UpstreamChange } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { type Sealed, seal } from '@callsmith/data/secrets';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import {
  baseUrlOf,
  findUpstream,
  insertUpstream,
  listHealth,
  listUpstreams,
  RefusedAddress,
  removeUpstream,
  type UpstreamDetail,
  UpstreamWatch,
  updateUpstream,
  upstreamIsNamed,
} from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import { ProxyService } from '../../proxy/request/proxy.service.ts';
import type { Caller } from '../access/caller.ts';
import { fieldFault, nameTaken } from '../field-fault.ts';
import { upstreamView } from './upstream-view.ts';

const DAY_MS = 86_400_000;

/** Model servers. Their addresses come from admins alone. */
@Injectable()
export class UpstreamsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly watch: UpstreamWatch,
    private readonly proxy: ProxyService,
  ) {}

  async list(): Promise<{ items: Upstream[] }> {
    return { items: (await listUpstreams(this.prisma)).map((row) => this.#view(row)) };
  }

  async create({ baseUrl, credential, kind, ...rest }: NewUpstream, caller: Caller): Promise<Upstream> {
    await this.#refuseTaken(rest.name);
    const row = await insertUpstream(
      this.prisma,
      { actor: caller.actor },
      {
        ...rest,
        id: newId('up'),
        baseUrl: checkedUrl(baseUrl),
        ...kindColumns(kind),
        ...credentialColumns(this.config.secretKey, credential),
      },
    );
    return this.#look(row.id);
  }

  async change(id: string, { baseUrl, credential, kind, ...rest }: UpstreamChange, caller: Caller): Promise<Upstream> {
    const before = await this.#editable(id);
    if (rest.name !== undefined) await this.#refuseTaken(rest.name, id);
    const url = baseUrl === undefined ? before.baseUrl : checkedUrl(baseUrl);
    const moved = url !== before.baseUrl;
    if (moved && credential === undefined && before.credential !== null) throw credentialAgain();
    const named = Object.entries(rest).filter(([, value]) => value !== undefined);
    const data = {
      ...Object.fromEntries(named),
      baseUrl: url,
      ...(kind !== undefined && kindColumns(kind)),
      ...(credential !== undefined && credentialColumns(this.config.secretKey, credential)),
    };
    await updateUpstream(this.prisma, { actor: caller.actor }, { id, data, moved });
    return this.#look(id);
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    await this.#editable(id);
    await removeUpstream(this.prisma, { actor: caller.actor }, id);
    await this.snapshot.refresh();
    return {};
  }

  async discover(id: string): Promise<Upstream> {
    await this.#find(id);
    return this.#look(id);
  }

  async health(id: string) {
    await this.#find(id);
    const rows = await listHealth(this.prisma, id, new Date(Date.now() - DAY_MS));
    return { items: rows.map(({ at, ok, latencyMs, error }) => ({ at: at.toISOString(), ok, latencyMs, error })) };
  }

  /** Looks for its models now, and answers with what is known then. */
  async #look(id: string): Promise<Upstream> {
    await this.watch.look(id);
    await this.snapshot.refresh();
    return this.#view(await this.#find(id));
  }

  #view(row: UpstreamDetail): Upstream {
    const routes = this.snapshot.models().flatMap((model) => model.routes);
    const refuses = routes.flatMap((route) => (route.upstream.id === row.id ? route.refuses : []));
    return upstreamView(row, {
      demoUrl: this.config.demoUrl,
      breaker: this.proxy.breaker,
      refuses: [...new Set(refuses)],
    });
  }

  async #find(id: string): Promise<UpstreamDetail> {
    const row = await findUpstream(this.prisma, id);
    if (!row) throw new Fault('not_found', 'Upstream not found.');
    return row;
  }

  async #editable(id: string): Promise<UpstreamDetail> {
    const row = await this.#find(id);
    if (row.origin === 'env') throw new Fault('conflict', 'This upstream is set by UPSTREAM_URL; change it there.');
    if (row.origin === 'demo')
      throw new Fault('conflict', 'This upstream is part of the demo; remove the demo instead.');
    return row;
  }

  async #refuseTaken(name: string, except?: string): Promise<void> {
    if (await upstreamIsNamed(this.prisma, name, except)) throw nameTaken('an upstream', name);
  }
}

/** A base URL by the rules of saving. Throws `upstream_address_refused`. */
export function checkedUrl(baseUrl: string): string {
  try {
    return baseUrlOf(baseUrl);
  } catch (cause) {
    if (!(cause instanceof RefusedAddress)) throw cause;
    const fields = [{ path: 'baseUrl', message: cause.message }];
    throw new Fault('upstream_address_refused', `baseUrl: ${cause.message}`, { param: 'baseUrl', fields, cause });
  }
}

const kindColumns = (kind: NewUpstream['kind']) => ({ kind, kindSource: kind === null ? 'discovered' : 'declared' });

function credentialColumns(secretKey: string, credential: string | null) {
  const sealed: Sealed | undefined = credential ? seal(secretKey, credential) : undefined;
  return { credential: sealed?.ciphertext ?? null, credentialKeyId: sealed?.keyId ?? null };
}

/** A key that was given for one address is not sent to another. */
const credentialAgain = (): Fault =>
  fieldFault(
    { path: 'credential', message: 'must be entered again for a new address (null for none)' },
    { code: 'missing_parameter' },
  );
