import { CONFIG, type Config } from '@callsmith/config';
import type { Upstream } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { credentialOf } from '@callsmith/data/snapshot';
import { type Discovered, discover, findUpstream, Unreachable } from '@callsmith/data/upstreams';
import { Inject, Injectable } from '@nestjs/common';
import { checkedUrl } from './upstreams.service.ts';

interface TestAsk {
  readonly baseUrl: string;
  readonly kind: Upstream['kind']['value'];
  readonly credential: string | null;
  /** The upstream that is being edited: its kept credential is tried where none is given, at its own address only. */
  readonly id?: string | undefined;
}

/** Tries a connection without saving it. Of what the other side says, only models, kind and version come back. */
@Injectable()
export class ConnectionTest {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
  ) {}

  async run({ baseUrl, kind, credential, id }: TestAsk) {
    const url = checkedUrl(baseUrl);
    const key = credential || (await this.#kept(id, url));
    try {
      return found(await discover({ baseUrl: url, credential: key, kind: kind ?? undefined }));
    } catch (problem) {
      if (!(problem instanceof Unreachable)) throw problem;
      const say = `${url}: ${problem.message}. Check the address and that the server listens on it.`;
      return { ok: false, say, kind: null, engineVersion: null, latencyMs: null, models: [] };
    }
  }

  async #kept(id: string | undefined, url: string): Promise<string | undefined> {
    const row = id === undefined ? null : await findUpstream(this.prisma, id);
    return row?.baseUrl === url ? credentialOf(row, this.config.secretKey) : undefined;
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
