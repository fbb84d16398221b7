import type { Exchange } from '../exchange.ts';
import type { Ears, Observer, Watch } from './observer.ts';

/** All observers of one request as one; one that throws is told once and heard no more. */
export class Watching {
  private readonly observers: Observer[] = [];

  constructor(
    watches: readonly Watch[],
    exchange: Exchange,
    private readonly complain: (error: unknown) => void,
  ) {
    for (const watch of watches) this.guard(() => this.observers.push(watch(exchange)));
  }

  /** The ears of a new attempt, by what they hear: an empty list costs nothing. */
  attempt(): { payload: Ear<string>[]; heard: Ear<HeardEvent>[]; said: Ear<SaidEvent>[] } {
    const ears = { payload: [] as Ear<string>[], heard: [] as Ear<HeardEvent>[], said: [] as Ear<SaidEvent>[] };
    for (const observer of this.observers) {
      this.guard(() => {
        const one = observer.attempt?.();
        if (one?.payload) ears.payload.push(this.safely(one.payload.bind(one)));
        if (one?.heard) ears.heard.push(this.safely(one.heard.bind(one)));
        if (one?.said) ears.said.push(this.safely(one.said.bind(one)));
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

  private safely<T>(ear: Ear<T>): Ear<T> {
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

export type Ear<T> = (value: T) => void;
type HeardEvent = Parameters<NonNullable<Ears['heard']>>[0];
type SaidEvent = Parameters<NonNullable<Ears['said']>>[0];
