import { lines, pipe, type Stage, sse, utf8 } from '@callsmith/stream';
import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { EventListeners, Listener } from '../observers/index.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { observe, observePayloads } from './observe.ts';
import type { PreparedRequest } from './prepare-request.ts';

/**
 * The response path: what a model server sends, to what the client gets. The client's frames follow at its end. A
 * whole reply enters in the middle, as the events that it would have been.
 */
export const responsePipe = (
  { adapter, parse }: { readonly adapter: PreparedRequest['adapter']; readonly parse: Stage<UpstreamEvent, TurnEvent> },
  listeners: EventListeners,
): { bytes: Stage<Uint8Array, UpstreamEvent>; events: Stage<UpstreamEvent, TurnEvent>; listeners: EventListeners } => ({
  bytes: pipe(
    utf8(),
    adapter.framing === 'lines' ? lines() : sse(),
    observePayloads(listeners.payload),
    adapter.events(),
  ),
  events: pipe(observe(listeners.upstreamEvent), parse, mergeDeltas(), observe(listeners.turnEvent)),
  listeners,
});

/** The first half for a turn whose frames go through as they come. */
export const payloadPipe = (listeners: readonly Listener<string>[]): Stage<Uint8Array, string> =>
  pipe(utf8(), sse(), observePayloads(listeners));
