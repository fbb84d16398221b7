import type { RequestRecord } from '../record/request-record.ts';
import type { AttemptListeners, Observer, ObserverFactory } from './observer.ts';

/** All observers of one request as one; one that throws is told once and heard no more. */
export class Observers {
  private readonly observers: Observer[] = [];

  constructor(
    watches: readonly ObserverFactory[],
    exchange: RequestRecord,
    private readonly complain: (error: unknown) => void,
  ) {
    for (const watch of watches) this.guard(() => this.observers.push(watch(exchange)));
  }

  /** The ears of a new attempt, by what they hear: an empty list costs nothing. */
  attempt(): { payload: Listener<string>[]; heard: Listener<HeardEvent>[]; said: Listener<SaidEvent>[] } {
    const ears = {
      payload: [] as Listener<string>[],
      heard: [] as Listener<HeardEvent>[],
      said: [] as Listener<SaidEvent>[],
    };
    for (const observer of this.observers) {
      this.guard(() => {
        const one = observer.attempt?.();
        if (one?.payload) ears.payload.push(this.safely(one.payload.bind(one)));
        if (one?.upstreamEvent) ears.heard.push(this.safely(one.upstreamEvent.bind(one)));
        if (one?.turnEvent) ears.said.push(this.safely(one.turnEvent.bind(one)));
      });
    }
    return ears;
  }

  done(): void {
    for (const observer of this.observers) this.guard(() => observer.done?.());
  }

  private guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.complain(error);
    }
  }

  private safely<T>(ear: Listener<T>): Listener<T> {
    let works = true;
    return (value) => {
      if (!works) return;
      try {
        ear(value);
      } catch (error) {
        works = false;
        this.complain(error);
      }
    };
  }
}

export type Listener<T> = (value: T) => void;
type HeardEvent = Parameters<NonNullable<AttemptListeners['upstreamEvent']>>[0];
type SaidEvent = Parameters<NonNullable<AttemptListeners['turnEvent']>>[0];
