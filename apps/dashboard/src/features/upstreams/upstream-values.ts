import type { Upstream } from '@callsmith/contracts';

/** An upstream as its form holds it. */
export const valuesOf = (upstream: Upstream | undefined) => ({
  name: upstream?.name ?? '',
  baseUrl: upstream?.baseUrl ?? '',
  kind: upstream?.kind.source === 'declared' ? (upstream.kind.value ?? 'find') : 'find',
  api: upstream?.api ?? 'auto',
  credential: '',
  credentialHeader: upstream?.credentialHeader ?? '',
  credentialScheme: upstream?.credentialScheme === '' ? noScheme : (upstream?.credentialScheme ?? ''),
  headers: Object.entries(upstream?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  connectTimeoutMs: (upstream?.connectTimeoutMs ?? 10_000) as number | string,
  firstByteTimeoutMs: (upstream?.firstByteTimeoutMs ?? 300_000) as number | string,
  idleTimeoutMs: (upstream?.idleTimeoutMs ?? 300_000) as number | string,
  maxConnections: (upstream?.maxConnections ?? 1024) as number | string,
});
export type UpstreamValues = ReturnType<typeof valuesOf>;

/** The form as the API takes it. */
export const bodyOf = ({
  kind,
  credential,
  credentialHeader,
  credentialScheme,
  headers,
  ...values
}: UpstreamValues) => ({
  ...values,
  kind: kind === 'find' ? null : kind,
  credentialHeader: credentialHeader.trim() || null,
  credentialScheme: credentialScheme.trim() === noScheme ? '' : credentialScheme.trim() || null,
  headers: headersIn(headers),
  // Left out where nothing was typed, so that a stored one stays.
  ...(credential !== '' && { credential }),
});

/** The word for no scheme, as in UPSTREAM_KEY_SCHEME. */
const noScheme = 'none';

/** `Name: value`, one a line. */
function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(':');
      return [name.trim(), rest.join(':').trim()];
    }),
  );
}
