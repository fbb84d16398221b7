import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

/** Adds the commands that start, migrate and examine this installation. */
export function addInstallationCommands({ program, root, env, print, end, gateway }: CommandContext): void {
  program
    .command('serve')
    .description('start the gateway and run it until SIGTERM or Ctrl-C')
    .action(async () => {
      const { start } = await import('../boot/start.ts');
      await start(root);
      await new Promise(() => undefined); // the process ends by a signal
    });

  program
    .command('migrate')
    .description("bring the database's tables up to date, without serving; every start does it too")
    .action(async () => {
      const { openStores } = await import('../boot/stores.ts');
      const { readSettings } = await import('@callsmith/config');
      const stores = await openStores(readSettings(root, env), root, {
        onWait: () => undefined,
        onLost: () => undefined,
        onBlocked: (migration) =>
          process.stderr.write(
            `Waiting until no query or backup uses the tables that the migration ${migration} changes.\n`,
          ),
      });
      await stores.close();
      print({ migrated: true }, 'The tables are up to date.\n');
    });

  program
    .command('doctor')
    .description(
      'check settings, database, Redis, clocks, disk, address and upstreams, and say what to do; exit code 2: a problem',
    )
    .action(async () => {
      const { examineInstallation: examine, checksText: findingsText } = await import('./doctor.ts');
      const findings = await examine({ root, env, gateway });
      print(findings, findingsText(findings));
      if (findings.some(({ state }) => state === 'problem')) end(exitCodes.toAct);
    });
}
