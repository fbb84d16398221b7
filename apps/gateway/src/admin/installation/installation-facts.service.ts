import { CONFIG, type Config } from '@callsmith/config';
import type { Me } from '@callsmith/contracts';
import { listUpstreams, PrismaService, readSetting, SETTINGS_NAME, StoreDirectory, settingsOf } from '@callsmith/data';
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
    private readonly directory: StoreDirectory,
  ) {
    this.#version = productVersion(config.root);
  }

  async about(http: Exchange): Promise<Me['installation']> {
    const [upstreams, settings] = await Promise.all([
      listUpstreams(this.prisma),
      readSetting(this.prisma, SETTINGS_NAME),
    ]);
    const demo = this.directory.models().some((model) => model.demo);
    return {
      version: this.#version,
      publicUrl: http.baseUrl,
      demo,
      demoOnly: demo && upstreams.every(({ origin }) => origin === 'demo'),
      bodyRetentionDays: settingsOf(settings).bodyDays,
    };
  }
}
