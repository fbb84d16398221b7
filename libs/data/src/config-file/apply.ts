import { isDeepStrictEqual } from 'node:util';
import { type ConfigDifference, type ConfigFile, type ConfigSection, maskedValue } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { checkOutboundUrl, RefusedAddress } from '../upstreams/address.ts';
import { alerts } from './alerts.ts';
import { keys, keysInForce } from './keys.ts';
import { mcpServers } from './mcp-servers.ts';
import { models } from './models.ts';
import type { ConfigContext, EntryOf, Fields, ManagedRow, Section } from './section.ts';
import { teams } from './teams.ts';
import { upstreams } from './upstreams.ts';

/** In the order of their dependencies; rows go in the opposite order. */
const sections: { readonly [Name in ConfigSection]: Section<EntryOf<Name>> } = {
  teams,
  upstreams,
  models,
  keys,
  alerts,
  mcpServers,
};
const names = Object.keys(sections) as ConfigSection[];

/** An error beyond the file's form: an unknown name. `path`: e.g. `models[0].routes[1].upstream`. */
export interface ConfigFileProblem {
  readonly path: string;
  readonly message: string;
}

/** The file cannot be applied; nothing was changed. */
export class WrongConfigFile extends Error {
  override readonly name = 'WrongConfigFile';

  constructor(readonly problems: readonly ConfigFileProblem[]) {
    super(problems.map(({ path, message }) => `${path} ${message}`).join('\n'));
  }
}

/** Options of applying a file. */
export interface ApplyOptions {
  /** Rows whose entry was removed from the file are deleted instead of disabled. */
  readonly prune: boolean;
  /** Nothing is changed; only the differences are returned. */
  readonly dryRun: boolean;
}

/** One step: its difference, and the function that applies it. */
interface Step {
  readonly difference: ConfigDifference;
  run(): Promise<void>;
}

/** The name of the PostgreSQL lock by which files are applied one after the other. */
const LOCK = 727_073_701;
const LOCK_MS = 120_000;

/**
 * Changes the tables to match a file and returns the differences; none the second time. Concurrent processes apply one
 * after the other. Throws `WrongConfigFile`.
 */
export function applyConfigFile(
  place: ConfigContext,
  file: ConfigFile,
  options: ApplyOptions,
): Promise<ConfigDifference[]> {
  return alone(place.prisma, async () => {
    await refuseWrong(place, file);
    const steps = await planOf(place, file, options);
    if (!options.dryRun) for (const { run } of steps) await run();
    return steps.map(({ difference }) => difference);
  });
}

function alone<T>(prisma: PrismaService, work: () => Promise<T>): Promise<T> {
  return prisma.$transaction(
    async (tables) => {
      await tables.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`;
      return work();
    },
    { maxWait: LOCK_MS, timeout: LOCK_MS },
  );
}

async function planOf(place: ConfigContext, file: ConfigFile, { prune }: ApplyOptions): Promise<Step[]> {
  const puts: Step[] = [];
  const takes: Step[] = [];
  for (const name of names) {
    const section = sections[name] as Section<EntryOf<ConfigSection>>;
    const entries = file[name] as readonly EntryOf<ConfigSection>[];
    const rows = await section.rows(place, entries);
    const kept = new Set<ManagedRow>();
    for (const entry of entries) {
      const row = section.rowOf(place, entry, rows);
      if (row) kept.add(row);
      const step = putStep(place, { name, section, entry, row });
      if (step) puts.push(step);
    }
    for (const row of rows) {
      if (!row.managed || kept.has(row)) continue;
      const step = takeStep(place, { name, section, row, prune });
      if (step) takes.unshift(step);
    }
  }
  return [...puts, ...takes];
}

function putStep(
  place: ConfigContext,
  parts: {
    name: ConfigSection;
    section: Section<EntryOf<ConfigSection>>;
    entry: EntryOf<ConfigSection>;
    row: ManagedRow | undefined;
  },
): Step | undefined {
  const { name, section, entry, row } = parts;
  const fields = changed(row?.fields ?? {}, section.fieldsOf(entry), section.secrets);
  if (row?.managed && fields.length === 0 && (row.active || 'enabled' in row.fields)) return undefined;
  const action = row === undefined ? 'create' : fields.length > 0 || !row.active ? 'change' : 'manage';
  return {
    difference: { section: name, name: section.nameOf(entry), action, fields },
    run: () => section.put(place, entry, row),
  };
}

function takeStep(
  place: ConfigContext,
  parts: { name: ConfigSection; section: Section<EntryOf<ConfigSection>>; row: ManagedRow; prune: boolean },
): Step | undefined {
  const { name, section, row, prune } = parts;
  if (!prune && !row.active) return undefined;
  return {
    difference: { section: name, name: row.name, action: prune ? 'delete' : section.without, fields: [] },
    run: () => (prune ? section.remove(place, row) : section.disable(place, row)),
  };
}

/** The differing fields, secrets masked. */
function changed(from: Fields, to: Fields, secrets: readonly string[]): ConfigDifference['fields'] {
  return Object.keys(to).flatMap((path) => {
    if (isDeepStrictEqual(plain(from[path]), plain(to[path]))) return [];
    const shown = (value: unknown) => (secrets.includes(path) ? masked(value) : (value ?? null));
    return [{ path, from: shown(from[path]), to: shown(to[path]) }];
  });
}

/** As JSON stores it: without undefined members. */
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

function masked(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return maskedValue;
  return Object.fromEntries(Object.keys(value).map((name) => [name, maskedValue]));
}

/** Throws if an entry uses a name that neither the file nor a table has, or a forbidden address. */
async function refuseWrong({ prisma }: ConfigContext, file: ConfigFile): Promise<void> {
  const problems: ConfigFileProblem[] = [];
  const upstreamNames = new Set([
    ...file.upstreams.map(({ name }) => name),
    ...(await prisma.upstream.findMany({ where: { removedAt: null, origin: { not: 'demo' } } })).map(
      ({ name }) => name,
    ),
  ]);
  const teamNames = new Set([
    ...file.teams.map(({ name }) => name),
    ...(await prisma.team.findMany({ where: { demo: false } })).map(({ name }) => name),
  ]);
  const modelNames = new Set([
    ...file.models.map(({ name }) => name),
    ...(await prisma.model.findMany({ where: { removedAt: null } })).map(({ name }) => name),
  ]);
  file.alerts.forEach(({ scope }, at) => {
    const refuse = (kind: 'models' | 'teams', existing: ReadonlySet<string>, what: string) =>
      scope[kind].forEach((name, n) => {
        const path = `alerts[${at}].scope.${kind}[${n}]`;
        if (!existing.has(name)) problems.push({ path, message: `must be the name of a ${what}; found "${name}"` });
      });
    refuse('models', modelNames, 'model');
    refuse('teams', teamNames, 'team');
  });
  file.models.forEach(({ routes }, at) => {
    routes.forEach(({ upstream }, n) => {
      const path = `models[${at}].routes[${n}].upstream`;
      if (!upstreamNames.has(upstream))
        problems.push({ path, message: `must be the name of an upstream; found "${upstream}"` });
      if (routes.findIndex((other) => other.upstream === upstream) !== n)
        problems.push({ path, message: 'must not be listed twice' });
    });
  });
  file.keys.forEach(({ team, tokenBudget, spendBudget, budgetPeriod }, at) => {
    if (!teamNames.has(team))
      problems.push({ path: `keys[${at}].team`, message: `must be the name of a team; found "${team}"` });
    if ((tokenBudget ?? spendBudget) !== null && budgetPeriod === null)
      problems.push({ path: `keys[${at}].budgetPeriod`, message: 'is required with a budget' });
  });
  for (const name of ['upstreams', 'alerts'] as const)
    file[name].forEach((entry, at) => {
      const message = addressProblem(() => sections[name].fieldsOf(entry as never));
      if (message) problems.push({ path: `${name}[${at}].${name === 'alerts' ? 'url' : 'baseUrl'}`, message });
    });
  const programs = new Set(
    (await prisma.mcpServer.findMany({ where: { origin: 'file', enabled: true } })).map(({ name }) => name),
  );
  file.mcpServers.forEach(({ name, url, auth, authIssuer }, at) => {
    const refuse = (field: string, message: string | undefined) => {
      if (message) problems.push({ path: `mcpServers[${at}].${field}`, message });
    };
    if (programs.has(name)) refuse('name', `is a server of MCP_SERVERS_FILE already: "${name}"`);
    refuse(
      'url',
      addressProblem(() => checkOutboundUrl(url)),
    );
    if (auth === 'oauth')
      refuse(
        'authIssuer',
        addressProblem(() => checkOutboundUrl(authIssuer ?? '')),
      );
  });
  refuseSameNames(file, problems);
  if (problems.length > 0) throw new WrongConfigFile(problems);
}

function addressProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (problem) {
    if (problem instanceof RefusedAddress) return problem.message;
    throw problem;
  }
}

/** Refuses a name or alias that belongs to two models of the file. */
function refuseSameNames({ models: entries }: ConfigFile, problems: ConfigFileProblem[]): void {
  const taken = new Set(entries.map(({ name }) => name));
  entries.forEach(({ aliases = [] }, at) => {
    aliases.forEach((alias, n) => {
      if (taken.has(alias))
        problems.push({ path: `models[${at}].aliases[${n}]`, message: `is another model's name or alias: "${alias}"` });
      taken.add(alias);
    });
  });
}

/**
 * The current configuration as the sections of a file, without defaults. Each secret is replaced by a reference to an
 * environment variable.
 */
export async function exportConfigFile(
  place: ConfigContext,
  defaults: (section: ConfigSection, entry: Fields) => Fields,
): Promise<Record<string, unknown>> {
  const exported: Record<string, unknown> = { version: 1 };
  for (const name of names) {
    const section = sections[name] as Section<EntryOf<ConfigSection>>;
    const rows = name === 'keys' ? await keysInForce(place) : await section.rows(place, []);
    const entries = rows.filter((row) => row.active || 'enabled' in row.fields).map((row) => entryOf(name, row));
    if (entries.length > 0) exported[name] = entries.map((entry) => withoutDefaults(entry, defaults(name, entry)));
  }
  return exported;
}

function withoutDefaults(entry: Fields, defaults: Fields): Fields {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([name, value]) => value !== null && !isDeepStrictEqual(plain(value), plain(defaults[name])),
    ),
  );
}

function entryOf(name: ConfigSection, row: ManagedRow): Fields {
  const { [name]: section } = sections;
  const word = (text: string) => (text.match(/[A-Za-z0-9]+/g) ?? []).join('_').toUpperCase();
  const reference = (field: string) => `\${${word(row.name)}_${word(field)}}`;
  const hidden: Record<string, unknown> = {};
  for (const field of section.secrets) {
    const value = row.fields[field];
    if (value === null || value === undefined) continue;
    hidden[field] =
      typeof value === 'object'
        ? Object.fromEntries(Object.keys(value).map((one) => [one, reference(one)]))
        : reference(field);
  }
  // A key's name is its hint and owner, which are the same on every gateway; its id is not.
  const own = name === 'keys' ? { secret: `\${KEY_${word(row.name)}}` } : { name: row.name };
  return { ...own, ...row.fields, ...hidden };
}
