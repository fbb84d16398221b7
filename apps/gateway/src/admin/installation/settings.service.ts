import {
  type InstallationSettings,
  PrismaService,
  readSetting,
  SETTINGS_NAME,
  StoreDirectory,
  settingsOf,
  writeSetting,
} from '@callsmith/data';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';

type Change = { readonly [Name in keyof InstallationSettings]?: InstallationSettings[Name] | undefined };

/** Sampling and retention. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly directory: StoreDirectory,
  ) {}

  async show(): Promise<InstallationSettings> {
    return settingsOf(await readSetting(this.prisma, SETTINGS_NAME));
  }

  async change(asked: Change, caller: Caller): Promise<InstallationSettings> {
    const named = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    const settings = settingsOf({ ...(await this.show()), ...named });
    await writeSetting(this.prisma, { actor: caller.actor }, SETTINGS_NAME, { ...settings });
    await this.directory.refresh();
    return settings;
  }
}
