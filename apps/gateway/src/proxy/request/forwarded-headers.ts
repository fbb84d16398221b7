import type { RequestHeaders } from './api-key.ts';

/** The only client headers that are forwarded (security 13): those that link traces. */
const allowed = ['traceparent', 'tracestate'] as const;

/** A request's headers that are forwarded upstream. */
export function forwarded(headers: RequestHeaders): Record<string, string> {
  const along: Record<string, string> = {};
  for (const name of allowed) {
    const value = headers[name];
    if (typeof value === 'string' && value.length <= 1000) along[name] = value;
  }
  return along;
}
