/** What a browser reports about a request's origin. */
export interface RequestOrigin {
  readonly origin: string | undefined;
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined;
  /** The requested host and port. */
  readonly host: string;
  /** Undefined: the request's own address. */
  readonly publicUrl: string | undefined;
}

/**
 * True if a write comes from the dashboard itself, or not from a browser: browsers send `Sec-Fetch-Site` to trustworthy
 * addresses, and `Origin` with every write.
 */
export function sameOrigin({ origin, fetchSite, host, publicUrl }: RequestOrigin): boolean {
  if (origin !== undefined && publicUrl !== undefined && originOf(publicUrl) === origin) return true;
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none';
  if (origin === undefined) return true;
  return originOf(origin) !== undefined && originOf(origin) === originOf(`${origin.split(':', 1)[0]}://${host}`);
}

/** Scheme, host and port without a default port; `null` (sandboxed frames, cross-site redirects) has none. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
