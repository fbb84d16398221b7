import { CONFIG, type Config } from '@callsmith/config';
import { maskedValue, type NewUpstream, type Upstream, type UpstreamChange } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import {
  addressingOf,
  baseUrlOf,
  findUpstream,
  insertUpstream,
  listHealth,
  listUpstreams,
  RefusedAddress,
  removeUpstream,
  sealedCredential,
  sealedHeaders,
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
import { refuseManaged } from '../managed.ts';
import { upstreamView } from './upstream-view.ts';

const DAY_MS = 86_400_000;

/** Model servers. Only admins set their addresses. */
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

  async create(
    { baseUrl, credential, kind, headers: headerValues, ...rest }: NewUpstream,
    caller: Caller,
  ): Promise<Upstream> {
    await this.#refuseTaken(rest.name);
    const { secretKey } = this.config;
    const headers = withStoredHeaders(headerValues, {});
    refuseTwoKeys(headers, { credentialHeader: rest.credentialHeader, hasCredential: Boolean(credential) });
    const data = {
      ...rest,
      id: newId('up'),
      baseUrl: checkedUrl(baseUrl),
      ...kindColumns(kind),
      ...sealedCredential(secretKey, credential),
      ...sealedHeaders(secretKey, headers),
    };
    const row = await insertUpstream(this.prisma, { actor: caller.actor }, { data, headers: Object.keys(headers) });
    return this.#look(row.id);
  }

  async change(
    id: string,
    { baseUrl, credential, kind, headers: headerValues, ...rest }: UpstreamChange,
    caller: Caller,
  ): Promise<Upstream> {
    const before = await this.#editable(id);
    const { secretKey } = this.config;
    if (rest.name !== undefined) await this.#refuseTaken(rest.name, id);
    const url = baseUrl === undefined ? before.baseUrl : checkedUrl(baseUrl);
    const moved = url !== before.baseUrl;
    if (moved && credential === undefined && before.credential !== null) throw credentialAgain();
    const stored = addressingOf(before, secretKey).headers ?? {};
    if (moved && headerValues === undefined && Object.keys(stored).length > 0) throw headersAgain();
    const headers = headerValues === undefined ? stored : withStoredHeaders(headerValues, moved ? {} : stored);
    const { credentialHeader = before.credentialHeader } = rest;
    const hasCredential = credential === undefined ? before.credential !== null : Boolean(credential);
    refuseTwoKeys(headers, { credentialHeader, hasCredential });
    const named = Object.entries(rest).filter(([, value]) => value !== undefined);
    const data = {
      ...Object.fromEntries(named),
      baseUrl: url,
      ...(kind !== undefined && kindColumns(kind)),
      ...(credential !== undefined && sealedCredential(secretKey, credential)),
      ...(headerValues !== undefined && sealedHeaders(secretKey, headers)),
    };
    const headerNames = { before: Object.keys(stored), after: Object.keys(headers) };
    await updateUpstream(this.prisma, { actor: caller.actor }, { id, data, moved, headerNames });
    return this.#look(id);
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    const row = await this.#editable(id);
    const headers = Object.keys(addressingOf(row, this.config.secretKey).headers ?? {});
    await removeUpstream(this.prisma, { actor: caller.actor }, { id, headers });
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

  /** Discovers its models now, and returns the result. */
  async #look(id: string): Promise<Upstream> {
    await this.watch.check(id);
    await this.snapshot.refresh();
    return this.#view(await this.#find(id));
  }

  #view(row: UpstreamDetail): Upstream {
    const routes = this.snapshot.models().flatMap((model) => model.routes);
    const refuses = routes.flatMap((route) => (route.upstream.id === row.id ? route.refuses : []));
    return upstreamView(row, {
      secretKey: this.config.secretKey,
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
    refuseManaged(row, 'This upstream');
    return row;
  }

  async #refuseTaken(name: string, except?: string): Promise<void> {
    if (await upstreamIsNamed(this.prisma, name, except)) throw nameTaken('an upstream', name);
  }
}

/** A base URL by the rules for saving. Throws `upstream_address_refused`. */
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

/** Headers with the stored values in place of masked ones. Throws for a masked one that is not stored, by its name. */
export function withStoredHeaders(
  headerValues: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const byName = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(headerValues).map(([name, value]) => {
      const kept = value === maskedValue ? byName.get(name.toLowerCase()) : value;
      if (kept === undefined)
        throw fieldFault({
          path: 'headers',
          message: `has "${name}" without a value, and none is stored for it: enter one`,
        });
      return [name, kept];
    }),
  );
}

/** One header cannot contain both the API key and another value. */
function refuseTwoKeys(
  headers: Readonly<Record<string, string>>,
  { credentialHeader, hasCredential }: { credentialHeader: string | null; hasCredential: boolean },
): void {
  const used = (credentialHeader ?? 'Authorization').toLowerCase();
  const twice = hasCredential && Object.keys(headers).find((name) => name.toLowerCase() === used);
  if (twice)
    throw fieldFault({
      path: 'headers',
      message: `has "${twice}", which is also the header of the API key: remove one of them`,
    });
}

const headersAgain = (): Fault =>
  fieldFault(
    { path: 'headers', message: 'must be entered again because the address changes ({} for none)' },
    { code: 'missing_parameter' },
  );

/** A key that was given for one address is not sent to another. */
const credentialAgain = (): Fault =>
  fieldFault(
    { path: 'credential', message: 'must be entered again because the address changes (null for none)' },
    { code: 'missing_parameter' },
  );
