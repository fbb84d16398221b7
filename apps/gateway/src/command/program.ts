import tab from '@bomb.sh/tab/commander';
import { ApiError } from '@callsmith/contracts';
import { Command, CommanderError } from 'commander';
import { productVersion } from '../product-version.ts';
import { addAccountCommands } from './account-commands.ts';
import { addConfigCommands } from './config-commands.ts';
import type { CommandContext, CommandPlace } from './context.ts';
import { type ExitCode, exitCodes, Refused } from './exit-codes.ts';
import { addGatewayCommands } from './gateway-commands.ts';
import { addInstallationCommands } from './installation-commands.ts';
import { addParseCommands } from './parse-commands.ts';

/**
 * Runs `callsmith` with its arguments and resolves with its exit code. Errors are printed as one sentence on `err`;
 * only a bug of the program itself is thrown.
 */
export async function runCommand(args: readonly string[], place: CommandPlace): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const program = new Command('callsmith');
  const context: CommandContext = {
    ...place,
    program,
    gateway: async () => (await import('./gateway.ts')).gatewayOf(place.root, place.env),
    print: (value, text) => place.out(program.opts().json === true ? `${JSON.stringify(value, null, 2)}\n` : text),
    end: (exitCode) => {
      code = exitCode;
    },
  };
  program
    .description(
      'Runs, configures and maintains Callsmith, a gateway that turns every model into a reliable tool caller.',
    )
    .version(productVersion(place.root))
    .option('--json', 'print JSON instead of text')
    .showSuggestionAfterError()
    .configureOutput({ writeOut: place.out, writeErr: place.err })
    .exitOverride()
    .addHelpText('after', afterHelp);
  addInstallationCommands(context);
  addParseCommands(context);
  addAccountCommands(context);
  addGatewayCommands(context);
  addConfigCommands(context);
  tab(program, { completionCommandName: 'completion' });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const failure = await messageAndCodeOf(error);
    if (failure === undefined) throw error;
    place.err(`${failure.message}\n`);
    return failure.code;
  }
}

const afterHelp = `
Examples:
  $ callsmith serve
  $ callsmith key create "Ada Lovelace" --team research --requests-per-minute 60
  $ callsmith model set qwen3-coder strategy=prompt --reason "leaks its calls"
  $ CALLSMITH_URL=https://callsmith.example.com ADMIN_KEY=… callsmith key list --json

serve, migrate, doctor, parse, evaluate, reset-password and sign-in-link work on this installation; the others connect to a
running gateway: the one at CALLSMITH_URL with ADMIN_KEY, else this installation's.

Exit codes: 0 done · 1 failed · 2 found something to act on · 64 wrong usage · 69 the gateway does not respond · 77 not allowed`;

/** The message of an error that the user can fix; undefined: it is a bug. */
async function messageAndCodeOf(error: unknown): Promise<{ message: string; code: ExitCode } | undefined> {
  if (error instanceof Refused) return error;
  if (error instanceof ApiError) return { message: sentences(error), code: codeOf(error) };
  const { isSetupProblem } = await import('../boot/setup-problem.ts');
  if (isSetupProblem(error)) return { message: error.message, code: exitCodes.failed };
  return undefined;
}

function sentences({ status, message, fields }: ApiError): string {
  if (status === 401) return 'The gateway does not accept ADMIN_KEY: is it the one that the gateway was started with?';
  if (fields.length < 2) return message;
  const others = fields.filter(({ message: field }) => !message.includes(field));
  return [message, ...others.map(({ path, message: field }) => `${path} ${field}`)].join('\n');
}

const codeOf = ({ status }: ApiError): ExitCode =>
  status === 401 || status === 403 ? exitCodes.refused : exitCodes.failed;
