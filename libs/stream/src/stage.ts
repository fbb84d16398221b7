import type { Fault } from '@callsmith/turn';

/**
 * Anything that accepts values one by one.
 * `flush` marks the end of one network read: what is gathered may be written now.
 * `end` comes exactly once; with a fault if the stream broke.
 */
export interface Sink<T> {
  push(value: T): void;
  flush(): void;
  end(fault?: Fault): void;
  /**
   * Takes a piece of plain text as it would take the event that brings it as text of the first choice, without that
   * event being made: most events of a stream are nothing but that. Plain is printable ASCII without quotes and
   * backslashes, the same inside JSON as outside. False: nothing was done, and the event is to be pushed. A stage that
   * has something to do about such text, or does not know, leaves this out; what comes out is the same either way.
   */
  pushText?(text: string): boolean;
}

/** A stage is told where its output goes and answers with where its input goes. */
export type Stage<In, Out> = (next: Sink<Out>) => Sink<In>;

/** Joins stages left to right: the output of each is the input of the next. */
export function pipe<A, B>(a: Stage<A, B>): Stage<A, B>;
export function pipe<A, B, C>(a: Stage<A, B>, b: Stage<B, C>): Stage<A, C>;
export function pipe<A, B, C, D>(a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>): Stage<A, D>;
export function pipe<A, B, C, D, E>(a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>, d: Stage<D, E>): Stage<A, E>;
export function pipe<A, B, C, D, E, F>(
  a: Stage<A, B>,
  b: Stage<B, C>,
  c: Stage<C, D>,
  d: Stage<D, E>,
  e: Stage<E, F>,
): Stage<A, F>;
export function pipe(...stages: Stage<unknown, unknown>[]): Stage<unknown, unknown> {
  return (next) => stages.reduceRight((sink, stage) => stage(sink), next);
}

/** Drives a stage with `values` and gives back all that came out, and the fault it ended with, if any. */
export function runSync<In, Out>(
  stage: Stage<In, Out>,
  values: Iterable<In>,
  fault?: Fault,
): { out: Out[]; fault?: Fault } {
  const out: Out[] = [];
  let ended: Fault | undefined;
  const sink = stage({
    push: (value) => out.push(value),
    flush: () => {},
    end: (reason) => {
      ended = reason;
    },
  });
  for (const value of values) {
    sink.push(value);
    sink.flush();
  }
  sink.end(fault);
  return ended ? { out, fault: ended } : { out };
}
