import { exportFormat, type Model, upstreamKind } from '@callsmith/contracts';
import { Option } from 'commander';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { fetchExport } from './export.ts';
import { exportFailures, type FailureFilter } from './export-failures.ts';
import { addKeyCommands } from './key-commands.ts';
import { probeModel } from './probe.ts';
import { table } from './table.ts';
import { teamNamed } from './team-named.ts';
import { assignments, secretFrom, serverUrl, wholeNumber } from './values.ts';

/** Adds the commands that need a running gateway. */
export function addGatewayCommands(context: CommandContext): void {
  addKeyCommands(context);
  addTeams(context);
  addUpstreams(context);
  addModels(context);
  addProbe(context);
  addExport(context);
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

/** How an upstream is reached, from options. */
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
      .argument('<url>', 'base URL, with or without /v1', serverUrl)
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
      const body = { name: name ?? new URL(url).host, ...bodyOf(url, options) };
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
        !enabled ? 'disabled' : health === null ? 'not checked yet' : health.ok ? 'answers' : health.error,
      ]);
      print(items, table(['UPSTREAM', 'URL', 'KIND', 'MODELS', 'STATE'], rows));
    });
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
    .argument(
      '<settings...>',
      'NAME=VALUE, e.g. strategy=prompt; the value is JSON or text, null returns to the default',
    )
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
    .description('measure how well each strategy works with a model; Ctrl-C cancels it')
    .argument('<model>', 'name or id')
    .option('--full', '115 requests per strategy instead of twenty tasks (about two minutes)')
    .addHelpText(
      'after',
      '\nExit code: 0 no strategy is clearly better than the one in effect, 2 a change is recommended, 1 nothing was measured.',
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
    .description('print recorded requests without bodies, newest first, or the model output of failed ones')
    .addOption(new Option('--format <format>', 'format of the lines').choices(exportFormat.options).default('csv'))
    .option('--from <time>', 'first time, e.g. 2026-11-01T00:00:00Z; default: 24 hours ago')
    .option('--to <time>', 'last time; default: now')
    .option('--model <name>', 'only of this model')
    .option('--outcome <outcome>', 'clean, repaired, invalid, failed, none or error')
    .option(
      '--failures',
      'print the model output of failed requests as cases for `callsmith parse` and `callsmith evaluate`: JSON lines, secrets masked',
    )
    .option('--most <n>', 'with --failures: at most this many requests', wholeNumber, 1000)
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
      const left =
        withoutTexts > 0 ? ` ${withoutTexts} more have no text: it was not stored, or is already deleted.` : '';
      err(`Failed requests written: ${written}.${left}\n`);
    });
}

type ExportOptions = Parameters<typeof fetchExport>[1] & FailureFilter & { readonly failures?: true };
