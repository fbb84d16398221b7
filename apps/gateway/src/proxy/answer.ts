import { payloads, pipe, type Stage } from '@callsmith/stream';
import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { UpstreamWire } from '@callsmith/wires';
import { merge } from './merge.ts';
import type { Ear } from './observers/index.ts';
import type { ShortWay } from './short-way.ts';

/** The response path, first half: what a model server sends, to what it says. */
export function listen(
  wire: UpstreamWire,
  ears: readonly Ear<string>[],
  short?: ShortWay,
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
export const understand = (
  read: Stage<UpstreamEvent, TurnEvent>,
  ears: { readonly heard: readonly Ear<UpstreamEvent>[]; readonly said: readonly Ear<TurnEvent>[] },
): Stage<UpstreamEvent, TurnEvent> => pipe(tap(ears.heard), read, merge(), tap(ears.said));

/** Shows each value to observers and passes it on. Without observers it is not there at all. */
export const tap =
  <T>(ears: readonly Ear<T>[]): Stage<T, T> =>
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
