/** Nest's token of the `Directory`. */
export const DIRECTORY = Symbol('DIRECTORY');
/** Nest's token of the `Recorder`. */
export const RECORDER = Symbol('RECORDER');
/** Nest's token of the `LimitStore`: where all gateways count together. */
export const LIMIT_STORE = Symbol('LIMIT_STORE');
