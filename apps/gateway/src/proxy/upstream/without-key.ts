import type { UpstreamEntry } from '@callsmith/data/snapshot';
import { secretsOf } from '@callsmith/data/upstreams';
import type { Fault } from '@callsmith/turn';

/** Shorter secrets are placeholders such as `none`; masking them would garble messages. */
const leastLength = 8;

/**
 * Masks an upstream's key and secret headers in a fault's message, as some servers quote what they refuse. Changes the
 * fault in place and returns it.
 */
export function withoutKey(fault: Fault, upstream: UpstreamEntry | undefined): Fault {
  for (const secret of upstream ? secretsOf(upstream) : [])
    if (secret.length >= leastLength) fault.message = fault.message.replaceAll(secret, '•••');
  return fault;
}
