import type { Upstream } from '@callsmith/contracts';

/** An upstream as its form holds it. */
export const valuesOf = (upstream: Upstream | undefined) => ({
  name: upstream?.name ?? '',
  baseUrl: upstream?.baseUrl ?? '',
  kind: upstream?.kind.source === 'declared' ? (upstream.kind.value ?? 'find') : 'find',
  credential: '',
  connectTimeoutMs: (upstream?.connectTimeoutMs ?? 10_000) as number | string,
  firstByteTimeoutMs: (upstream?.firstByteTimeoutMs ?? 300_000) as number | string,
  idleTimeoutMs: (upstream?.idleTimeoutMs ?? 300_000) as number | string,
  maxConnections: (upstream?.maxConnections ?? 1024) as number | string,
});
export type UpstreamValues = ReturnType<typeof valuesOf>;

/** The form as the API takes it. */
export const bodyOf = ({ kind, credential, ...values }: UpstreamValues) => ({
  ...values,
  kind: kind === 'find' ? null : kind,
  // Left out where nothing was typed, so that a stored one stays.
  ...(credential !== '' && { credential }),
});
