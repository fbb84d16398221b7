import { exportFormat, foreignKeys, type Key, type Model, type Team, upstreamKind } from '@callsmith/contracts';
import { Option } from 'commander';
import type { CommandContext } from './context.ts';
import { exitCodes, Refused } from './exit-codes.ts';
import { fetchExport } from './export.ts';
import { exportFailures, type FailureFilter } from './export-failures.ts';
import type { Gateway } from './gateway.ts';
import { probeModel } from './probe.ts';
import { table } from './table.ts';
import { assignments, secretFrom, several, textOf, wholeNumber } from './values.ts';

/** Adds the commands that speak to a running gateway. */
export function addGatewayCommands(context: CommandContext): void {
  addKeys(context);
  addTeams(context);
  addUpstreams(context);
  addModels(context);
  addProbe(context);
  addExport(context);
}

/** The limits of keys, as options give them. */
interface Limits {
  readonly team: string;
  readonly model?: string[];
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrent?: number;
  readonly tokenBudget?: number;
  readonly budgetPeriod?: 'day' | 'month';
  readonly expires?: string;
}

function addKeys({ program, gateway, print }: CommandContext): void {
  const keys = program.command('key').description('API keys');
  const limited = (name: string) =>
    keys
      .command(name)
      .option('--team <name>', 'team that they belong to', 'default')
      .option('--model <name>', 'a model that they may use (repeatable); default: all', several)
      .option('--requests-per-minute <n>', 'limit', wholeNumber)
      .option('--tokens-per-minute <n>', 'limit', wholeNumber)
      .option('--concurrent <n>', 'limit of requests at the same time', wholeNumber)
      .option('--token-budget <n>', 'tokens per --budget-period', wholeNumber)
      .addOption(new Option('--budget-period <period>', 'period of the token budget').choices(['day', 'month']))
      .option('--expires <time>', 'when they expire, e.g. 2027-01-31T00:00:00Z');

  limited('create')
    .description('create a key and print it; it is shown only this once')
    .argument('<owner>', 'who uses it')
    .addHelpText('after', '\nExample:\n  $ callsmith key create "Ada Lovelace" --team research --model qwen3-coder')
    .action(async (holder: string, options: Limits) => {
      const { client } = await gateway();
      const issued = await client.keys.issue({ body: { holder, ...(await limitsOf(client, options)) } });
      print(issued, `${issued.secret}\n`);
    });

  keys
    .command('list')
    .description('list keys, newest first')
    .option('--team <name>', 'only keys of this team')
    .option('--revoked', 'include revoked keys')
    .action(async ({ team, revoked }: { team?: string; revoked?: true }) => {
      const { client } = await gateway();
      const query = {
        ...(team !== undefined && { teamId: (await teamNamed(client, team)).id }),
        revoked: revoked ? ('true' as const) : ('false' as const),
        limit: 200,
      };
      const items: Key[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await client.keys.list({ query: { ...query, ...(cursor !== undefined && { cursor }) } });
        items.push(...page.items);
        cursor = page.next;
      }
      const rows = items.map((key) => [
        key.id,
        key.hint,
        key.holder,
        key.teamName,
        key.allowedModels?.join(', ') ?? 'all',
        key.lastUsedAt ?? 'never',
        key.revokedAt === null ? key.expiresAt : 'revoked',
      ]);
      print(items, table(['ID', 'KEY', 'OWNER', 'TEAM', 'MODELS', 'LAST USED', 'UNTIL'], rows));
    });

  keys
    .command('revoke')
    .description('revoke keys; they are refused everywhere within 5 s')
    .argument('<id...>', 'as `key list` shows them')
    .action(async (ids: string[]) => {
      const { client } = await gateway();
      const revoked: Key[] = [];
      for (const id of ids) revoked.push(await client.keys.revoke({ params: { id } }));
      print(revoked, revoked.map(({ hint, holder }) => `Revoked ${hint} of ${holder}.\n`).join(''));
    });

  limited('import')
    .description('import keys that another system issued')
    .argument('<file>', 'one key a line, or its SHA-256, and behind it its owner; - is standard input')
    .option('--owner <name>', 'owner of lines that name none', 'imported')
    .addHelpText('after', '\nExample:\n  $ callsmith key import keys.txt --team research')
    .action(async (file: string, { owner, ...options }: Limits & { owner: string }) => {
      const given = foreignKeys(textOf(file), owner);
      if (given.length === 0) throw new Refused(`${file} holds no key.`);
      const { client } = await gateway();
      const limits = await limitsOf(client, options);
      const imported: Key[] = [];
      const duplicates: { holder: string; hint: string }[] = [];
      for (let at = 0; at < given.length; at += 500) {
        const part = await client.keys.importMany({ body: { ...limits, keys: given.slice(at, at + 500) } });
        imported.push(...part.imported);
        duplicates.push(...part.duplicates.map((one) => ({ ...one, at: one.at + at })));
      }
      const left = duplicates.map(({ hint, holder }) => `Left as it is: ${hint} of ${holder} exists already.\n`);
      print({ imported, duplicates }, `${imported.length} imported.\n${left.join('')}`);
    });
}

type Client = Gateway['client'];

async function limitsOf(client: Client, options: Limits) {
  return {
    teamId: (await teamNamed(client, options.team)).id,
    allowedModels: options.model ?? null,
    requestsPerMinute: options.requestsPerMinute ?? null,
    tokensPerMinute: options.tokensPerMinute ?? null,
    concurrentStreams: options.concurrent ?? null,
    tokenBudget: options.tokenBudget ?? null,
    budgetPeriod: options.budgetPeriod ?? null,
    expiresAt: options.expires ?? null,
  };
}

async function teamNamed(client: Client, name: string): Promise<Team> {
  const { items } = await client.teams.list();
  return named(items, name, 'team');
}

/** The one of that name. Throws `Refused`, naming those that there are. */
function named<T extends { readonly name: string }>(items: readonly T[], name: string, what: string): T {
  const found = items.find((item) => item.name === name);
  if (found !== undefined) return found;
  const others = items.map((item) => item.name);
  const some = others.length === 0 ? 'there is none yet' : `there is ${others.slice(0, 20).join(', ')}`;
  throw new Refused(`There is no ${what} "${name}"; ${some}.`);
}

function addTeams({ program, gateway, print }: CommandContext): void {
  const teams = program.command('team').description('teams');
  teams
    .command('list')
    .description('list teams')
    .action(async () => {
      const { items } = await (await gateway()).client.teams.list();
      const rows = items.map(({ name, keys, storesBodies }) => [name, keys, storesBodies ? 'yes' : 'no']);
      print(items, table(['TEAM', 'KEYS', 'STORES BODIES'], rows));
    });
  teams
    .command('create')
    .description('add a team')
    .argument('<name>')
    .option('--no-bodies', 'store no bodies of its requests')
    .action(async (name: string, { bodies }: { bodies: boolean }) => {
      const team = await (await gateway()).client.teams.create({ body: { name, storesBodies: bodies } });
      print(team, `Team ${team.name} was added.\n`);
    });
  teams
    .command('remove')
    .description('delete a team that has no users and no active keys; its requests stay')
    .argument('<name>')
    .action(async (name: string) => {
      const { client } = await gateway();
      await client.teams.remove({ params: { id: (await teamNamed(client, name)).id } });
      print({ removed: name }, `Team ${name} was deleted.\n`);
    });
}

/** How an upstream is reached, as options give it. */
interface UpstreamOptions {
  readonly kind?: (typeof upstreamKind.options)[number];
  readonly keyEnv?: string;
  readonly keyFile?: string;
}

function addUpstreams({ program, gateway, print, env, end }: CommandContext): void {
  const upstreams = program.command('upstream').description('model servers');
  const reached = (name: string) =>
    upstreams
      .command(name)
      .argument('<url>', 'base URL, with or without /v1')
      .addOption(new Option('--kind <kind>', 'kind of server; default: detected').choices(upstreamKind.options))
      .option('--key-env <name>', 'environment variable that holds its API key')
      .option('--key-file <file>', 'file that holds its API key');
  const bodyOf = (baseUrl: string, options: UpstreamOptions) => ({
    baseUrl,
    kind: options.kind ?? null,
    credential: secretFrom(options, env),
  });

  reached('add')
    .description('add a model server and list its models')
    .option('--name <name>', 'its name; default: the host of the URL')
    .addHelpText('after', '\nExample:\n  $ callsmith upstream add http://gpu:8000 --name gpu --key-env VLLM_API_KEY')
    .action(async (url: string, { name, ...options }: UpstreamOptions & { name?: string }) => {
      const { client } = await gateway();
      const body = { name: name ?? hostOf(url), ...bodyOf(url, options) };
      const upstream = await client.upstreams.create({ body });
      const models = upstream.models.length > 0 ? upstream.models.join(', ') : 'no models listed yet';
      print(upstream, `${upstream.name} was added: ${models}.\n`);
    });

  reached('test')
    .description('test the connection to a model server without adding it; exit code 2: the connection failed')
    .action(async (url: string, options: UpstreamOptions) => {
      const result = await (await gateway()).client.upstreams.test({ body: bodyOf(url, options) });
      print(result, `${result.say}\n`);
      if (!result.ok) end(exitCodes.toAct);
    });

  upstreams
    .command('list')
    .description('list model servers with their health')
    .action(async () => {
      const { items } = await (await gateway()).client.upstreams.list();
      const rows = items.map(({ name, baseUrl, kind, engineVersion, models, enabled, health }) => [
        name,
        baseUrl,
        [kind.value, engineVersion].filter((part) => part !== null).join(' '),
        models.length,
        !enabled ? 'disabled' : health === null ? 'not looked at yet' : health.ok ? 'answers' : health.error,
      ]);
      print(items, table(['UPSTREAM', 'URL', 'KIND', 'MODELS', 'STATE'], rows));
    });
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    throw new Refused(`"${url}" is not a URL; it must be like http://gpu:8000.`, exitCodes.usage);
  }
}

function addModels({ program, gateway, print }: CommandContext): void {
  const models = program.command('model').description('models');
  models
    .command('list')
    .description('list models with the settings in effect')
    .action(async () => {
      const { items } = await (await gateway()).client.models.list();
      print(items, table(['MODEL', 'STRATEGY', 'IN EFFECT', 'DIALECT', 'UPSTREAMS'], items.map(modelRow)));
    });
  models
    .command('set')
    .description('change settings of a model; they take effect on the next request')
    .argument('<model>', 'name or id')
    .argument('<settings...>', 'like strategy=prompt; the value is JSON or text, null takes it back')
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText(
      'after',
      '\nExamples:\n  $ callsmith model set qwen3-coder strategy=prompt --reason "leaks its calls"\n  $ callsmith model set qwen3-coder contextLength=131072 capabilities.tools=true \'price={"input": 0.2, "output": 0.8}\'',
    )
    .action(async (model: string, words: string[], { reason }: { reason?: string }) => {
      const body = { ...assignments(words), ...(reason !== undefined && { reason }) };
      const changed = await (await gateway()).client.models.change({ params: { id: model }, body });
      print(changed, `${changed.name}: ${changed.inEffect.why}\n`);
    });
}

const modelRow = ({ name, strategy, inEffect, dialect, routes }: Model) => [
  name,
  strategy.value,
  inEffect.strategyUsed,
  dialect.value,
  routes.map(({ upstream }) => upstream).join(', '),
];

function addProbe({ program, gateway, print, err, end }: CommandContext): void {
  program
    .command('probe')
    .description('measure what a model can do with tools, by each strategy; Ctrl-C cancels it')
    .argument('<model>', 'name or id')
    .option('--full', '115 requests per strategy instead of twenty tasks (about two minutes)')
    .addHelpText(
      'after',
      '\nExit code: 0 nothing is surely better than what is in effect, 2 a change is recommended, 1 nothing was measured.',
    )
    .action(async (model: string, { full }: { full?: true }) => {
      const { client } = await gateway();
      const cancel = new AbortController();
      process.once('SIGINT', () => cancel.abort());
      const live = process.stderr.isTTY;
      const { text, probe, exitCode } = await probeModel(
        { model, size: full ? 'full' : 'quick' },
        { client, progress: (message) => live && err(`\r${message}   `), signal: cancel.signal },
      );
      if (live) err('\r');
      print(probe, text);
      end(exitCode);
    });
}

function addExport({ program, gateway, out, err }: CommandContext): void {
  program
    .command('export')
    .description('print recorded requests, newest first: without bodies, or what the models of failed ones said')
    .addOption(new Option('--format <format>', 'format of the lines').choices(exportFormat.options).default('csv'))
    .option('--from <time>', 'first time, e.g. 2026-11-01T00:00:00Z; default: 24 hours ago')
    .option('--to <time>', 'last time; default: now')
    .option('--model <name>', 'only of this model')
    .option('--outcome <outcome>', 'clean, repaired, invalid, failed, none or error')
    .option(
      '--failures',
      'print cases for `callsmith parse` and `callsmith evaluate`, as JSON lines, masked as recorded',
    )
    .option('--most <n>', 'with --failures: at most so many requests', wholeNumber, 1000)
    .addHelpText(
      'after',
      `
Without --failures: at most 5,000,000 requests.

Examples:
  $ callsmith export --outcome failed --from 2026-11-01T00:00:00Z > failed.csv
  $ callsmith export --failures --model qwen2.5-7b-instruct > failures.jsonl
  $ callsmith evaluate failures.jsonl`,
    )
    .action(async ({ failures, format, most, ...filter }: ExportOptions) => {
      if (!failures) return fetchExport(await gateway(), { ...filter, format }, out);
      const { written, withoutTexts } = await exportFailures(await gateway(), { ...filter, most }, out);
      const left = withoutTexts > 0 ? ` ${withoutTexts} more are recorded without texts, or theirs are deleted.` : '';
      err(`Failed requests written: ${written}.${left}\n`);
    });
}

type ExportOptions = Parameters<typeof fetchExport>[1] & FailureFilter & { readonly failures?: true };
