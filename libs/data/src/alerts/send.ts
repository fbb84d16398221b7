import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { checkOutboundUrl, guardedLookup } from '../upstreams/address.ts';
import { reasonOf } from '../upstreams/request-upstream.ts';

const TIMEOUT_MS = 10_000;

// The addresses of webhooks follow the rules for upstreams (security 11); each is checked when connecting.
const agent = new Agent({
  connect: { lookup: guardedLookup, timeout: 4_000 },
  connections: 8,
  keepAliveTimeout: 1_000,
  maxHeaderSize: 16_384,
});

/** The result of sending. */
export interface SendOutcome {
  /** The receiver's HTTP status; undefined: no response. */
  readonly status: number | undefined;
  readonly latencyMs: number;
  /** Undefined: it was accepted. */
  readonly problem: string | undefined;
}

/**
 * Posts a message, signed according to Standard Webhooks: `webhook-signature: v1,` + base64 of the HMAC-SHA-256 of
 * `id.timestamp.body` under the bytes after `whsec_`. Redirects are not followed, and only the response's status is
 * kept. Never rejects.
 */
export async function sendMessage(message: {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
}): Promise<SendOutcome> {
  const began = performance.now();
  const sent = (status: number | undefined, problem: string | undefined): SendOutcome => ({
    status,
    problem,
    latencyMs: Math.round(performance.now() - began),
  });
  try {
    checkOutboundUrl(message.url);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const reply = await request(message.url, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Callsmith',
        'webhook-id': message.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signatureOf(message, timestamp)}`,
      },
      body: message.body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await reply.body.dump({ limit: 65_536 }).catch(() => {});
    return sent(reply.statusCode, problemOf(reply.statusCode));
  } catch (problem) {
    return sent(undefined, reasonOf(problem));
  }
}

/** The base64 HMAC-SHA-256 of `id.timestamp.body`. */
export function signatureOf(message: { id: string; secret: string; body: string }, timestamp: string): string {
  const key = Buffer.from(message.secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`).digest('base64');
}

function problemOf(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400
    ? `it redirects (${status}), and redirects are not followed`
    : `it answers ${status}`;
}
