import { foreignKeys, type Key } from '@callsmith/contracts';
import { type Command, Option } from 'commander';
import type { CommandContext } from './context.ts';
import { Refused } from './exit-codes.ts';
import type { Gateway } from './gateway.ts';
import { table } from './table.ts';
import { teamNamed } from './team-named.ts';
import { repeatable, textOf, wholeNumber } from './values.ts';

/** Adds the commands of API keys. */
export function addKeyCommands(context: CommandContext): void {
  const keys = context.program.command('key').description('API keys');
  addCreate(keys, context);
  addList(keys, context);
  addRevoke(keys, context);
  addImport(keys, context);
}

/** The limits of keys, from options. */
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

/** A command with the options for limits of keys. */
const limited = (keys: Command, name: string) =>
  keys
    .command(name)
    .option('--team <name>', 'team that they belong to', 'default')
    .option('--model <name>', 'a model that they may use (repeatable); default: all', repeatable)
    .option('--requests-per-minute <n>', 'limit', wholeNumber)
    .option('--tokens-per-minute <n>', 'limit', wholeNumber)
    .option('--concurrent <n>', 'limit of concurrent requests', wholeNumber)
    .option('--token-budget <n>', 'tokens per --budget-period', wholeNumber)
    .addOption(new Option('--budget-period <period>', 'period of the token budget').choices(['day', 'month']))
    .option('--expires <time>', 'when they expire, e.g. 2027-01-31T00:00:00Z');

function addCreate(keys: Command, { gateway, print }: CommandContext): void {
  limited(keys, 'create')
    .description('create a key and print it; it is shown once')
    .argument('<owner>', 'who uses it')
    .addHelpText('after', '\nExample:\n  $ callsmith key create "Ada Lovelace" --team research --model qwen3-coder')
    .action(async (holder: string, options: Limits) => {
      const { client } = await gateway();
      const issued = await client.keys.issue({ body: { holder, ...(await limitsOf(client, options)) } });
      print(issued, `${issued.secret}\n`);
    });
}

function addList(keys: Command, { gateway, print }: CommandContext): void {
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
}

function addRevoke(keys: Command, { gateway, print }: CommandContext): void {
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
}

function addImport(keys: Command, { gateway, print }: CommandContext): void {
  limited(keys, 'import')
    .description('import keys that another system issued')
    .argument('<file>', 'a key or its SHA-256 on each line, followed by its owner; - is standard input')
    .option('--owner <name>', 'owner for lines that name none', 'imported')
    .addHelpText('after', '\nExample:\n  $ callsmith key import keys.txt --team research')
    .action(async (file: string, { owner, ...options }: Limits & { owner: string }) => {
      const foreign = foreignKeys(textOf(file), owner);
      if (foreign.length === 0) throw new Refused(`${file} contains no keys.`);
      const { client } = await gateway();
      const limits = await limitsOf(client, options);
      const imported: Key[] = [];
      const duplicates: { holder: string; hint: string }[] = [];
      for (let at = 0; at < foreign.length; at += 500) {
        const part = await client.keys.importMany({ body: { ...limits, keys: foreign.slice(at, at + 500) } });
        imported.push(...part.imported);
        duplicates.push(...part.duplicates.map((one) => ({ ...one, at: one.at + at })));
      }
      const left = duplicates.map(({ hint, holder }) => `Skipped: ${hint} of ${holder} already exists.\n`);
      print({ imported, duplicates }, `${imported.length} imported.\n${left.join('')}`);
    });
}

async function limitsOf(client: Gateway['client'], options: Limits) {
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
