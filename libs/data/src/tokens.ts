/** Nest's token of the `Directory`. */
export const DIRECTORY = Symbol('DIRECTORY');
/** Nest's token of the `Recorder`. */
export const RECORDER = Symbol('RECORDER');
