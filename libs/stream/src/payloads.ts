import { sse } from './sse.ts';
import { pipe, type Stage } from './stage.ts';
import { utf8 } from './utf8.ts';

/** The bytes of an event stream to the payloads of its events. */
export const payloads = (): Stage<Uint8Array, string> => pipe(utf8(), sse());
