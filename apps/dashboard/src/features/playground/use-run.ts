import { type PlaygroundColumn, type PlaygroundEvent, routes, streamEvents } from '@callsmith/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ColumnOutput, type ShownOutput } from './column-output.ts';

/** What is sent: a request of one’s own, or a recorded one. */
export type RunInput = { readonly columns: readonly PlaygroundColumn[] } & (
  | { readonly request: Readonly<Record<string, unknown>> }
  | { readonly turn: string }
);

/** A run: what went through which columns, and what each has said. */
export interface Run {
  readonly input: RunInput;
  readonly columns: readonly ShownOutput[];
  readonly state: 'running' | 'over' | 'stopped';
  /** Why it was refused or broke off. */
  readonly error: unknown;
}

/** Runs a request; leaving the page stops it. */
export function useRun() {
  const [run, setRun] = useState<Run>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const start = useCallback(async (input: RunInput) => {
    stopping.current?.abort();
    const control = new AbortController();
    stopping.current = control;
    const outputs = input.columns.map(() => new ColumnOutput());
    const show = (state: Run['state'], error?: unknown) =>
      stopping.current === control && setRun({ input, columns: outputs.map((one) => one.shown()), state, error });
    show('running');
    try {
      for await (const events of streamEvents<PlaygroundEvent>(
        routes.playground.run,
        { body: input },
        control.signal,
      )) {
        for (const event of events) outputs[event.column]?.push(event);
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
