import { CONFIG, type Config } from '@callsmith/config';
import type { Me } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { readSetting, SETTINGS_NAME, settingsOf } from '@callsmith/data/settings';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { Inject, Injectable } from '@nestjs/common';
import { productVersion } from '../../product-version.ts';
import type { HttpExchange } from '../http-exchange.ts';

/** Facts about the installation that every screen needs. */
@Injectable()
export class InstallationFacts {
  readonly #version: string;
  readonly #currency: string;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {
    this.#version = productVersion(config.root);
    this.#currency = config.currency;
  }

  async about(http: HttpExchange): Promise<Me['installation']> {
    const [settings, demoModel] = await Promise.all([
      readSetting(this.prisma, SETTINGS_NAME),
      this.prisma.model.findFirst({ where: { demo: true }, select: { id: true } }),
    ]);
    return {
      version: this.#version,
      publicUrl: http.baseUrl,
      demo: demoModel !== null,
      demoOnly: this.snapshot.demoOnly,
      bodyRetentionDays: settingsOf(settings).bodyDays,
      currency: this.#currency,
    };
  }
}
