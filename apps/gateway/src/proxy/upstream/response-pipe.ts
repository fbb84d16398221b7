import type { OutboundAdapter } from '@callsmith/protocols';
import { pipe, type Stage, sse, utf8 } from '@callsmith/stream';
import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { observe, observePayloads } from './observe.ts';

/** The response path, first half: what a model server sends, to what it says. */
export const parseUpstream = (
  adapter: OutboundAdapter,
  listeners: readonly Listener<string>[],
): Stage<Uint8Array, UpstreamEvent> => pipe(utf8(), sse(), observePayloads(listeners), adapter.events());

/**
 * The response path, second half: what a model says, to what the client is to hear. A whole reply goes the same way as
 * the events it would have been.
 */
export const parseModelOutput = (
  parse: Stage<UpstreamEvent, TurnEvent>,
  listeners: { readonly heard: readonly Listener<UpstreamEvent>[]; readonly said: readonly Listener<TurnEvent>[] },
): Stage<UpstreamEvent, TurnEvent> => pipe(observe(listeners.heard), parse, mergeDeltas(), observe(listeners.said));
