import {
  byCapability,
  type ModelSettingsChange,
  type SettingName,
  settingNamed,
  settingNames,
} from '@callsmith/contracts';
import { capabilitiesOf, withDeclared } from '../models/capabilities.ts';
import { insertModel, removeModel, updateModel } from '../models/models.ts';
import { settingsInEffect } from '../models/stored-settings.ts';
import type { EntryOf, Section } from './section.ts';

type Entry = EntryOf<'models'>;

/**
 * Models by name, with the routes that the file declares. A model that is removed from the file is removed; its history
 * stays.
 */
export const models: Section<Entry> = {
  secrets: [],
  nameOf: ({ name }) => name,
  async rows({ prisma }) {
    const rows = await prisma.model.findMany({
      where: { removedAt: null, demo: false },
      include: {
        upstreams: {
          where: { listed: true, source: 'declared' },
          include: { upstream: { select: { name: true } } },
          orderBy: [{ position: 'asc' }, { upstreamId: 'asc' }],
        },
      },
      orderBy: { name: 'asc' },
    });
    return rows.map((row) => {
      const capabilities = capabilitiesOf(row.capabilities);
      const settings = settingsInEffect(row, []);
      return {
        id: row.id,
        name: row.name,
        managed: row.managedBy === 'file',
        active: true,
        fields: {
          aliases: row.aliases,
          strategy: row.strategySource === 'declared' ? row.strategy : 'auto',
          dialect: row.dialect,
          holdBytes: row.holdsWhole ? null : (row.holdBytes ?? 'default'),
          capabilities: byCapability((name) =>
            capabilities[name]?.source === 'declared' ? capabilities[name].value : null,
          ),
          ...settingFields((name) => (settings[name]?.source === 'declared' ? settings[name].value : null)),
          routes: row.upstreams.map(({ upstream, upstreamModel, weight }) => ({
            upstream: upstream.name,
            upstreamModel,
            weight,
          })),
        },
      };
    });
  },
  rowOf: (_, { name }, rows) => rows.find((row) => row.name === name),
  fieldsOf: (entry) => ({
    aliases: entry.aliases ?? [],
    strategy: entry.strategy ?? 'auto',
    dialect: entry.dialect ?? null,
    holdBytes: entry.holdBytes === undefined ? 'default' : entry.holdBytes,
    capabilities: byCapability((name) => entry.capabilities?.[name] ?? null),
    ...settingFields((name) => entry[name] ?? null),
    routes: entry.routes.map(({ upstream, upstreamModel, weight }) => ({
      upstream,
      upstreamModel: upstreamModel ?? entry.name,
      weight,
    })),
  }),
  async put({ prisma, by }, entry, row) {
    const names = entry.routes.map(({ upstream }) => upstream);
    const found = await prisma.upstream.findMany({ where: { name: { in: names }, removedAt: null } });
    const routes = entry.routes.map(({ upstream, upstreamModel, weight }) => ({
      upstreamId: found.find(({ name }) => name === upstream)?.id ?? '',
      upstreamModel: upstreamModel ?? entry.name,
      weight,
    }));
    const { name, aliases = [], strategy = 'auto', dialect = null, holdBytes = 'default' } = entry;
    const id = row?.id ?? (await insertModel(prisma, by, { name, aliases, contextLength: null, routes })).id;
    const { capabilities: kept } = await prisma.model.findUniqueOrThrow({ where: { id } });
    const data = {
      aliases,
      strategy,
      strategySource: 'declared',
      dialect,
      holdBytes: holdBytes === 'default' ? null : holdBytes,
      holdsWhole: holdBytes === null,
      capabilities: withDeclared(
        kept,
        byCapability((one) => entry.capabilities?.[one] ?? null),
      ),
      managedBy: 'file',
    };
    const settings = Object.fromEntries(settingNames.map((one) => [one, entry[one] ?? null])) as ModelSettingsChange;
    await updateModel(prisma, by, { id, data, settings, routes });
  },
  without: 'disable',
  disable: ({ prisma, by }, { id }) => removeModel(prisma, by, id),
  remove: ({ prisma, by }, { id }) => removeModel(prisma, by, id),
};

/** Settings by name; an undeclared one has its default. */
const settingFields = (declared: (name: SettingName) => unknown) =>
  Object.fromEntries(settingNames.map((name) => [name, declared(name) ?? settingNamed(name).default ?? null]));
