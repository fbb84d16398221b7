import type { RequestHeaders } from './api-key.ts';

/** The only headers of a client that go upstream (security 13): those that join traces. */
const allowed = ['traceparent', 'tracestate'] as const;

/** A request's headers that go along upstream. */
export function forwarded(headers: RequestHeaders): Record<string, string> {
  const along: Record<string, string> = {};
  for (const name of allowed) {
    const value = headers[name];
    if (typeof value === 'string' && value.length <= 1000) along[name] = value;
  }
  return along;
}
