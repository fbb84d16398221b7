import { maskedValue, type Upstream } from '@callsmith/contracts';
import { addressingOf, type UpstreamDetail } from '@callsmith/data/upstreams';
import type { Breaker } from '../../proxy/attempts/breaker.ts';
import { managedBy } from '../managed.ts';

/**
 * An upstream as the API shows it: only whether it has a credential, and the names of its headers. `demoUrl`: the
 * address of this gateway's demo.
 */
export function upstreamView(
  row: UpstreamDetail,
  {
    secretKey,
    demoUrl,
    breaker,
    refuses,
  }: {
    readonly secretKey: string;
    readonly demoUrl: string | undefined;
    readonly breaker: Pick<Breaker, 'openUpstreams' | 'openModels'>;
    /** Parameters that models on it were seen to refuse. */
    readonly refuses: string[];
  },
): Upstream {
  const [last] = row.health;
  return {
    id: row.id,
    name: row.name,
    kind: {
      value: row.kind as Upstream['kind']['value'],
      source: row.kindSource as Upstream['kind']['source'],
    },
    api: row.api as Upstream['api'],
    baseUrl: row.origin === 'demo' ? (demoUrl ?? row.baseUrl) : row.baseUrl,
    origin: row.origin as Upstream['origin'],
    hasCredential: row.credential !== null,
    credentialHeader: row.credentialHeader,
    credentialScheme: row.credentialScheme,
    headers: Object.fromEntries(
      Object.keys(addressingOf(row, secretKey).headers ?? {}).map((name) => [name, maskedValue]),
    ),
    enabled: row.enabled,
    managedBy: managedBy(row),
    connectTimeoutMs: row.connectTimeoutMs,
    firstByteTimeoutMs: row.firstByteTimeoutMs,
    idleTimeoutMs: row.idleTimeoutMs,
    maxConnections: row.maxConnections,
    engineVersion: row.engineVersion,
    refuses,
    models: row.models.map(({ model }) => model.name),
    outOfRotation: {
      upstream: breaker.openUpstreams().includes(row.id),
      models: breaker.openModels().flatMap(({ upstreamId, model }) => (upstreamId === row.id ? [model] : [])),
    },
    health: last ? { ok: last.ok, at: last.at.toISOString(), latencyMs: last.latencyMs, error: last.error } : null,
  };
}
