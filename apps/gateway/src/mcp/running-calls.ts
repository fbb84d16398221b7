import { createHash } from 'node:crypto';
import type { LimitStore } from '@callsmith/data/limits';

/** A call of a client with one of the older revisions, as its cancellation names it. */
export interface CallName {
  readonly keyId: string;
  readonly server: string;
  /** The client's `mcp-session-id`. */
  readonly session: string;
  /** JSON-RPC's id of the request: the client's own counter, so it is unique within its session only. */
  readonly requestId: string | number;
}

/** How often a running call checks whether another gateway received its cancellation. */
const lookMs = 1_000;

/** Calls that may be cancelled by a separate request: at this gateway or, through the shared store, at another. */
export class RunningCalls {
  private readonly running = new Map<string, AbortController>();

  constructor(private readonly store: Pick<LimitStore, 'lease' | 'read'>) {}

  /** Runs a call whose signal is aborted when its client cancels it. */
  async run<T>(call: CallName, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const name = nameOf(call);
    const controller = new AbortController();
    this.running.set(name, controller);
    const timer = setInterval(() => void this.look(name, controller), lookMs);
    try {
      return await work(controller.signal);
    } finally {
      clearInterval(timer);
      if (this.running.get(name) === controller) this.running.delete(name);
    }
  }

  /** Cancels a call, wherever it runs. An unknown call is no error: it may have ended meanwhile. */
  async cancel(call: CallName): Promise<void> {
    const name = nameOf(call);
    const controller = this.running.get(name);
    if (controller) controller.abort();
    else await this.store.lease(name, '15 minutes', 1, 1).catch(() => {});
  }

  private async look(name: string, controller: AbortController): Promise<void> {
    if ((await this.store.read(name, '15 minutes').catch(() => 0)) > 0) controller.abort();
  }
}

const nameOf = ({ keyId, server, session, requestId }: CallName): string =>
  `mcp-cancel:${createHash('sha256')
    .update(JSON.stringify([keyId, server, session, requestId]))
    .digest('base64url')}`;
