import { CONFIG, type Config } from '@callsmith/config';
import { type api, type HandlerInput, shownBaseUrl } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import {
  type Addressing,
  addressingOf,
  type Discovered,
  discover,
  findUpstream,
  Unreachable,
} from '@callsmith/data/upstreams';
import { Inject, Injectable } from '@nestjs/common';
import { checkedUrl, withStoredHeaders } from './upstreams.service.ts';

/**
 * `id`: the upstream that is being edited; its stored key and headers are used if none are given, at its own address
 * only.
 */
type TestAsk = HandlerInput<typeof api.upstreams.test>['body'];

/** Tests a connection without saving it. Of the server's responses, only models, kind and version are returned. */
@Injectable()
export class ConnectionTest {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
  ) {}

  async run({ baseUrl, kind, credential, headers, id, ...rest }: TestAsk) {
    const url = checkedUrl(baseUrl);
    const stored = await this.#stored(id, url);
    const place = {
      baseUrl: url,
      credential: credential || stored?.credential,
      credentialHeader: rest.credentialHeader ?? undefined,
      credentialScheme: rest.credentialScheme ?? undefined,
      headers: withStoredHeaders(headers, stored?.headers ?? {}),
      kind: kind ?? undefined,
      proxies: this.config.proxies,
    };
    try {
      return found(await discover(place));
    } catch (problem) {
      if (!(problem instanceof Unreachable)) throw problem;
      const say = `${shownBaseUrl(url)}: ${problem.message}. Check the address and that the server listens on it.`;
      return { ok: false, say, kind: null, engineVersion: null, latencyMs: null, models: [] };
    }
  }

  async #stored(id: string | undefined, url: string): Promise<Addressing | undefined> {
    const row = id === undefined ? null : await findUpstream(this.prisma, id);
    return row?.baseUrl === url ? addressingOf(row, this.config.secretKey) : undefined;
  }
}

function found({ kind, engineVersion, latencyMs, models }: Discovered) {
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  const what = engineVersion === undefined ? kind : `${kind} ${engineVersion}`;
  return {
    ok: true,
    say: models.length > 0 ? `Connected: ${what}, ${count}.` : `Connected: ${what}, but it lists no models.`,
    kind,
    engineVersion: engineVersion ?? null,
    latencyMs,
    models: models.map(({ name, contextLength, tools }) => ({
      name,
      contextLength: contextLength ?? null,
      tools: tools ?? null,
    })),
  };
}
