import { CONFIG, type Config } from '@callsmith/config';
import type { Me } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { readSetting, SETTINGS_NAME, settingsOf } from '@callsmith/data/settings';
import { listUpstreams } from '@callsmith/data/upstreams';
import { Inject, Injectable } from '@nestjs/common';
import { productVersion } from '../../product-version.ts';
import type { Exchange } from '../exchange.ts';

/** What every screen needs to know of the installation. */
@Injectable()
export class InstallationFacts {
  readonly #version: string;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly prisma: PrismaService,
  ) {
    this.#version = productVersion(config.root);
  }

  async about(http: Exchange): Promise<Me['installation']> {
    const [upstreams, settings, demoModel] = await Promise.all([
      listUpstreams(this.prisma),
      readSetting(this.prisma, SETTINGS_NAME),
      this.prisma.model.findFirst({ where: { demo: true }, select: { id: true } }),
    ]);
    // Its data is there, and can be removed, also when its models are no longer on offer.
    const demo = demoModel !== null;
    return {
      version: this.#version,
      publicUrl: http.baseUrl,
      demo,
      demoOnly: demo && upstreams.every(({ origin }) => origin === 'demo'),
      bodyRetentionDays: settingsOf(settings).bodyDays,
    };
  }
}
