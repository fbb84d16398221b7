/**
 * The meaning of each exit code; the table in docs/command.md is checked against it. 64 and above are those of
 * sysexits.h.
 */
export const exitCodes = {
  /** Success. */
  done: 0,
  /** Failure; the message gives the reason. */
  failed: 1,
  /** Success, with something to act on: a probe recommends a change, a file differs, `doctor` found a problem. */
  toAct: 2,
  /** Invalid command line: an unknown command or option, or a missing argument. */
  usage: 64,
  /** The gateway or the database does not answer. */
  unreachable: 69,
  /** The gateway refuses the caller's permission. */
  refused: 77,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command cannot be run; the message gives the reason. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: ExitCode = exitCodes.failed,
  ) {
    super(message);
    this.name = 'Refused';
  }
}
