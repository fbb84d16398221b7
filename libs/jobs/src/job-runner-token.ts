/** Nest's token of the `JobRunner`. */
export const JOB_RUNNER = Symbol('JOB_RUNNER');
