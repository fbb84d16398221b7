import type { ConfigDifference } from '@callsmith/contracts';
import { parse } from 'yaml';
import { readConfigFile } from '../config-file/read-config-file.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

/** Adds the commands of the configuration file. */
export function addConfigCommands({ program, gateway, print, env, end }: CommandContext): void {
  const config = program.command('config').description('configuration file');
  const onFile = (name: string) =>
    config
      .command(name)
      .argument('<file>', 'YAML; - is standard input. References to variables and files are replaced here')
      .option('--prune', 'delete what was removed from the file, instead of disabling it');

  onFile('apply')
    .description('apply a file to the gateway; applying it again changes nothing')
    .addHelpText(
      'after',
      '\nExample:\n  $ callsmith config diff callsmith.yaml\n  $ callsmith config apply callsmith.yaml',
    )
    .action(async (file: string, { prune = false }: { prune?: boolean }) => {
      const body = { config: readConfigFile(file, env), prune, dryRun: false };
      const { differences } = await (await gateway()).client.config.apply({ body });
      print(differences, differencesText(differences, 'Nothing to do: the configuration matches the file.\n'));
    });

  onFile('diff')
    .description('show what a file would change; exit code 2: there are changes')
    .action(async (file: string, { prune = false }: { prune?: boolean }) => {
      const body = { config: readConfigFile(file, env), prune, dryRun: true };
      const { differences } = await (await gateway()).client.config.apply({ body });
      print(differences, differencesText(differences, 'No difference.\n'));
      if (differences.length > 0) end(exitCodes.toAct);
    });

  config
    .command('check')
    .description('check a file, without a gateway')
    .argument('<file>')
    .action((file: string) => {
      const { version: _, ...sections } = readConfigFile(file, env);
      const counts = Object.fromEntries(Object.entries(sections).map(([name, entries]) => [name, entries.length]));
      const words = Object.entries(counts).map(([name, count]) => `${count} ${count === 1 ? one(name) : name}`);
      print(counts, `${file}: ${words.join(', ')}.\n`);
    });

  config
    .command('export')
    .description('print the current configuration as a file, with a reference in place of each secret')
    .addHelpText('after', '\nExample:\n  $ callsmith config export > callsmith.yaml')
    .action(async () => {
      const text = await new Response(await (await gateway()).download('/api/config')).text();
      print(parse(text), text);
    });
}

/** The noun for an entry of a section. */
const one = (section: string): string => section.replace(/s$/, '');

/** A line for each difference, and one for each of its fields. */
function differencesText(differences: readonly ConfigDifference[], none: string): string {
  if (differences.length === 0) return none;
  return differences
    .map(({ section, name, action, fields }) => {
      const lines = fields.map(({ path, from, to }) => `  ${path}: ${JSON.stringify(from)} → ${JSON.stringify(to)}\n`);
      return `${action} ${one(section)} "${name}"\n${action === 'create' ? '' : lines.join('')}`;
    })
    .join('');
}
