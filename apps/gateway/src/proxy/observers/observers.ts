import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { UpstreamRequest } from '../record/attempt-log.ts';
import type { RequestRecord } from '../record/request-record.ts';
import type { Observer, ObserverFactory } from './observer.ts';

/** All observers of one request as one. An observer that throws is reported once and not called again. */
export class Observers {
  private readonly observers: Observer[] = [];

  constructor(
    factories: readonly ObserverFactory[],
    record: RequestRecord,
    private readonly reportError: (error: unknown) => void,
  ) {
    for (const factory of factories) this.guard(() => this.observers.push(factory(record)));
  }

  /** The listeners of a new attempt, by event: an empty list costs nothing. */
  attempt(): EventListeners {
    const payload: Listener<string>[] = [];
    const upstreamEvent: Listener<UpstreamEvent>[] = [];
    const turnEvent: Listener<TurnEvent>[] = [];
    for (const observer of this.observers) {
      this.guard(() => {
        const one = observer.attempt?.();
        if (one?.payload) payload.push(this.safely(one.payload.bind(one)));
        if (one?.upstreamEvent) upstreamEvent.push(this.safely(one.upstreamEvent.bind(one)));
        if (one?.turnEvent) turnEvent.push(this.safely(one.turnEvent.bind(one)));
      });
    }
    return { payload, upstreamEvent, turnEvent };
  }

  /** Notifies observers of an upstream request. Returns `headers` with the trace headers added. */
  upstreamRequest(
    request: UpstreamRequest,
    headers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    let all = headers;
    for (const observer of this.observers) {
      if (observer.upstreamRequest === undefined) continue;
      this.guard(() => {
        const own = observer.upstreamRequest?.(request);
        if (own) all = { ...all, ...own };
      });
    }
    return all;
  }

  done(): void {
    for (const observer of this.observers) this.guard(() => observer.done?.());
  }

  private guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.reportError(error);
    }
  }

  private safely<T>(listener: Listener<T>): Listener<T> {
    let works = true;
    return (value) => {
      if (!works) return;
      try {
        listener(value);
      } catch (error) {
        works = false;
        this.reportError(error);
      }
    };
  }
}

/** Gets one value, and changes nothing. */
export type Listener<T> = (value: T) => void;

/** The listeners of one attempt, by event. */
export interface EventListeners {
  /** The payload of one event of the stream, or the text of a whole response, unchanged. */
  readonly payload: readonly Listener<string>[];
  /** Events of the upstream, before calls are parsed. */
  readonly upstreamEvent: readonly Listener<UpstreamEvent>[];
  /** Events for the client, after calls were parsed. */
  readonly turnEvent: readonly Listener<TurnEvent>[];
}
