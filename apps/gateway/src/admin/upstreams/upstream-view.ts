import type { Upstream } from '@callsmith/contracts';
import type { UpstreamDetail } from '@callsmith/data/upstreams';

/** An upstream as the API shows it: of its credential, only that there is one. `demoUrl`: where this gateway's demo is. */
export function upstreamView(row: UpstreamDetail, demoUrl: string | undefined): Upstream {
  const [last] = row.health;
  return {
    id: row.id,
    name: row.name,
    kind: {
      value: row.kind as Upstream['kind']['value'],
      source: row.kindSource as Upstream['kind']['source'],
    },
    baseUrl: row.origin === 'demo' ? (demoUrl ?? row.baseUrl) : row.baseUrl,
    origin: row.origin as Upstream['origin'],
    hasCredential: row.credential !== null,
    enabled: row.enabled,
    connectTimeoutMs: row.connectTimeoutMs,
    firstByteTimeoutMs: row.firstByteTimeoutMs,
    idleTimeoutMs: row.idleTimeoutMs,
    maxConnections: row.maxConnections,
    engineVersion: row.engineVersion,
    refuses: row.refuses,
    models: row.models.map(({ model }) => model.name),
    health: last ? { ok: last.ok, at: last.at.toISOString(), latencyMs: last.latencyMs, error: last.error } : null,
  };
}
