import type { Fault } from '@callsmith/turn';

/**
 * Anything that accepts values one by one. `flush` marks the end of one network read: buffered output may be written
 * now. `end` comes exactly once; with a fault if the stream broke.
 */
export interface Sink<T> {
  push(value: T): void;
  flush(): void;
  end(fault?: Fault): void;
  /**
   * Accepts a piece of plain text in place of the event with it as text of the first choice, without that event being
   * created: most events of a stream are just that. Plain is printable ASCII without quotes and backslashes, the same
   * inside JSON as outside. False: nothing was done, and the event must be pushed. A stage that has to process such
   * text, or does not know, omits this method; the output is the same either way.
   */
  pushText?(text: string): boolean;
}

/** A stage gets the sink of its output and returns the sink of its input. */
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

/** Pushes `values` through a stage and returns its whole output, and the fault it ended with, if any. */
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
