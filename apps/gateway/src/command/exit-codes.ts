/** What a command's exit code says; the table in docs/command.md is checked against it. 64 and above are those of sysexits.h. */
export const exitCodes = {
  /** It did what was asked. */
  done: 0,
  /** It could not; the message says why. */
  failed: 1,
  /** It did, and found something to act on: a probe recommends a change, a file differs, `doctor` found a problem. */
  toAct: 2,
  /** The command line is not one: an unknown command or option, or a missing argument. */
  usage: 64,
  /** The gateway or the database does not answer. */
  unreachable: 69,
  /** The gateway does not let the caller do it. */
  refused: 77,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command cannot be run; the message says why. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: ExitCode = exitCodes.failed,
  ) {
    super(message);
    this.name = 'Refused';
  }
}
