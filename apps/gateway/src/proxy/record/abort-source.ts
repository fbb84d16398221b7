/** The signal that aborts a request: as much of an `AbortSignal` as the request path needs. */
export interface AbortReceiver {
  readonly aborted: boolean;
  /** The reason. */
  readonly reason: unknown;
  addEventListener(type: 'abort', stopped: () => void): void;
  removeEventListener(type: 'abort', stopped: () => void): void;
}

/** Aborts one request, once. An `AbortController` for each would cost several times as much. */
export class AbortSource implements AbortReceiver {
  aborted = false;
  reason: unknown;
  private readonly listeners: (() => void)[] = [];

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const stopped of this.listeners.splice(0)) stopped();
  }

  addEventListener(_: 'abort', stopped: () => void): void {
    this.listeners.push(stopped);
  }

  removeEventListener(_: 'abort', stopped: () => void): void {
    const at = this.listeners.indexOf(stopped);
    if (at !== -1) this.listeners.splice(at, 1);
  }
}

/** Waits `ms` milliseconds, or until the signal is aborted. */
export function wait(ms: number, signal: AbortReceiver): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over);
  });
}
