import { newId } from '@callsmith/data/ids';
import type { LimitStore } from '@callsmith/data/limits';
import type { KeyEntry } from '@callsmith/data/snapshot';
import { Fault } from '@callsmith/turn';

/** A server's limits for each key; null: no limit. */
interface ServerLimits {
  readonly id: string;
  readonly name: string;
  readonly callsPerMinute: number | null;
  readonly concurrentCalls: number | null;
}

const renewMs = 10_000;

/**
 * Counts a call against its server's limits for a key, for all gateways together. Returns the function that ends it.
 * Throws `rate_limit_exceeded`; `store_unavailable` if it cannot be counted.
 */
export async function countCall(store: LimitStore, server: ServerLimits, { id: keyId }: KeyEntry): Promise<() => void> {
  const name = `mcp:${server.id}:${keyId}`;
  const { callsPerMinute, concurrentCalls } = server;
  try {
    if (callsPerMinute !== null) {
      const { granted } = await store.lease(name, 'minute', 1, callsPerMinute);
      if (granted === 0)
        throw refused(`This key may call tools of "${server.name}" ${callsPerMinute} times per minute.`, 60);
    }
    if (concurrentCalls === null) return () => {};
    const lease = newId('lease');
    if (!(await store.acquireStream(lease, name, concurrentCalls)))
      throw refused(`This key may run ${concurrentCalls} calls of "${server.name}" at a time, and all are in use.`, 1);
    const timer = setInterval(() => void store.renewStreams([{ id: lease, keyId: name }]).catch(() => {}), renewMs);
    return () => {
      clearInterval(timer);
      void store.releaseStream(lease, name).catch(() => {});
    };
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault(
      'store_unavailable',
      'The limits of MCP servers cannot be checked right now. Try again in a few seconds.',
      {
        cause,
        headers: { 'retry-after': '5' },
      },
    );
  }
}

const refused = (message: string, seconds: number): Fault =>
  new Fault('rate_limit_exceeded', message, { headers: { 'retry-after': String(seconds) } });
