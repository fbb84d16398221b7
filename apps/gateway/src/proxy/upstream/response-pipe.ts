import { boundMembers, lines, pipe, type Stage, sse, utf8 } from '@callsmith/stream';
import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { EventListeners, Listener } from '../observers/index.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { observe, observePayloads } from './observe.ts';
import type { PreparedRequest } from './prepare-request.ts';

/**
 * The two halves of the response path: `bytes` of the upstream to its events, and those `events` to the client's. They
 * are separate because a whole response enters in the middle, as events. The client's frames are made after the second
 * half.
 */
export const responsePipe = (
  { adapter, parse }: { readonly adapter: PreparedRequest['adapter']; readonly parse: Stage<UpstreamEvent, TurnEvent> },
  listeners: EventListeners,
): { bytes: Stage<Uint8Array, UpstreamEvent>; events: Stage<UpstreamEvent, TurnEvent>; listeners: EventListeners } => ({
  bytes: pipe(
    utf8(),
    adapter.framing === 'lines' ? lines() : sse(),
    boundMembers(),
    observePayloads(listeners.payload),
    adapter.events(),
  ),
  events: pipe(observe(listeners.upstreamEvent), parse, mergeDeltas(), observe(listeners.turnEvent)),
  listeners,
});

/** The first half for a response whose frames pass through: bytes to payloads. */
export const payloadPipe = (listeners: readonly Listener<string>[]): Stage<Uint8Array, string> =>
  pipe(utf8(), sse(), boundMembers(), observePayloads(listeners));
