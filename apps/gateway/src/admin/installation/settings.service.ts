import { PrismaService } from '@callsmith/data/database';
import {
  type InstallationSettings,
  readSetting,
  SETTINGS_NAME,
  settingsOf,
  writeSetting,
} from '@callsmith/data/settings';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';

type Change = { readonly [Name in keyof InstallationSettings]?: InstallationSettings[Name] | undefined };

/** Sampling and retention. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  async show(): Promise<InstallationSettings> {
    return settingsOf(await readSetting(this.prisma, SETTINGS_NAME));
  }

  async change(changes: Change, caller: Caller): Promise<InstallationSettings> {
    const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const settings = settingsOf({ ...(await this.show()), ...named });
    await writeSetting(this.prisma, { actor: caller.actor }, SETTINGS_NAME, { ...settings });
    await this.snapshot.refresh();
    return settings;
  }
}
