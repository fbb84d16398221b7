import { type PlaygroundColumn, type PlaygroundEvent, routes, streamEvents } from '@callsmith/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Said, type Shown } from './said.ts';

/** What is sent: a request of one’s own, or a recorded one. */
export type RunAsk = { readonly columns: readonly PlaygroundColumn[] } & (
  | { readonly request: Readonly<Record<string, unknown>> }
  | { readonly turn: string }
);

/** A run: what went through which columns, and what each has said. */
export interface Run {
  readonly asked: RunAsk;
  readonly columns: readonly Shown[];
  readonly state: 'running' | 'over' | 'stopped';
  /** Why it was refused or broke off. */
  readonly error: unknown;
}

/** Runs a request; leaving the page stops it. */
export function useRun() {
  const [run, setRun] = useState<Run>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const start = useCallback(async (asked: RunAsk) => {
    stopping.current?.abort();
    const control = new AbortController();
    stopping.current = control;
    const said = asked.columns.map(() => new Said());
    const show = (state: Run['state'], error?: unknown) =>
      stopping.current === control && setRun({ asked, columns: said.map((one) => one.shown()), state, error });
    show('running');
    try {
      for await (const events of streamEvents<PlaygroundEvent>(
        routes.playground.run,
        { body: asked },
        control.signal,
      )) {
        for (const event of events) said[event.column]?.take(event);
        show('running');
      }
      show('over');
    } catch (error) {
      if (control.signal.aborted) show('stopped');
      else show('over', error);
    }
  }, []);
  const stop = useCallback(() => stopping.current?.abort(), []);
  return { run, start, stop };
}
