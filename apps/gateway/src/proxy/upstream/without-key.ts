import type { UpstreamEntry } from '@callsmith/data/snapshot';
import { secretsOf } from '@callsmith/data/upstreams';
import type { Fault } from '@callsmith/turn';

/** Shorter ones are placeholders such as `none`, which would be masked wherever they stand. */
const leastLength = 8;

/** Takes an upstream's own key and headers out of what it answered, in place: some servers repeat what they refuse. */
export function withoutKey(fault: Fault, upstream: UpstreamEntry | undefined): Fault {
  for (const secret of upstream ? secretsOf(upstream) : [])
    if (secret.length >= leastLength) fault.message = fault.message.replaceAll(secret, '•••');
  return fault;
}
