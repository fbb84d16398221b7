/** What a browser tells about where a request comes from. */
export interface RequestOrigin {
  readonly origin: string | undefined;
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined;
  /** Host and port that were asked for. */
  readonly host: string;
  /** Undefined: the request's own address. */
  readonly publicUrl: string | undefined;
}

/**
 * True if a write comes from the dashboard itself, or from no browser at all: browsers send `Sec-Fetch-Site` to
 * addresses that they trust, and `Origin` with every write.
 */
export function sameOrigin({ origin, fetchSite, host, publicUrl }: RequestOrigin): boolean {
  if (origin !== undefined && publicUrl !== undefined && originOf(publicUrl) === origin) return true;
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none';
  if (origin === undefined) return true;
  return originOf(origin) !== undefined && originOf(origin) === originOf(`${origin.split(':', 1)[0]}://${host}`);
}

/** Scheme, host and port, a default port left out; `null` (sandboxed frames, redirects across sites) has none. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
