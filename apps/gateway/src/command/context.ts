import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Gateway } from './gateway.ts';

/** What a command runs with. */
export interface CommandPlace {
  /** Folder of the installation. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What the commands are built with. */
export interface CommandContext extends CommandPlace {
  readonly program: Command;
  gateway(): Promise<Gateway>;
  /** Prints `value` with `--json`, else `text`. */
  print(value: unknown, text: string): void;
  /** Sets the command's exit code; by default: done. */
  end(code: ExitCode): void;
}
