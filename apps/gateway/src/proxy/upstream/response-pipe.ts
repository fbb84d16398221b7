import type { OutboundAdapter } from '@callsmith/protocols';
import { payloads, pipe, type Stage } from '@callsmith/stream';
import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';
import type { FastPath } from './fast-path.ts';
import { merge } from './merge-deltas.ts';

/** The response path, first half: what a model server sends, to what it says. */
export function parseUpstream(
  wire: OutboundAdapter,
  ears: readonly Listener<string>[],
  short?: FastPath,
): Stage<Uint8Array, UpstreamEvent> {
  if (short === undefined || ears.length > 0) return pipe(payloads(), tap(ears), wire.events());
  return pipe(
    short.enter,
    payloads(),
    wire.events((events) => {
      short.events = events;
    }),
  );
}

/**
 * The response path, second half: what a model says, to what the client is to hear. A whole reply goes the same way as
 * the events it would have been.
 */
export const parseModelOutput = (
  read: Stage<UpstreamEvent, TurnEvent>,
  ears: { readonly heard: readonly Listener<UpstreamEvent>[]; readonly said: readonly Listener<TurnEvent>[] },
): Stage<UpstreamEvent, TurnEvent> => pipe(tap(ears.heard), read, merge(), tap(ears.said));

/** Shows each value to observers and passes it on. Without observers it is not there at all. */
export const tap =
  <T>(ears: readonly Listener<T>[]): Stage<T, T> =>
  (next) => {
    if (ears.length === 0) return next;
    return {
      push(value) {
        for (const ear of ears) ear(value);
        next.push(value);
      },
      flush: () => next.flush(),
      end: (fault) => next.end(fault),
    };
  };
