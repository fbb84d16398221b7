import type { UpstreamEntry } from '@callsmith/data/snapshot';
import type { Fault } from '@callsmith/turn';

/** Shorter ones are placeholders such as `none`, which would be masked wherever they stand. */
const leastLength = 8;

/** Takes an upstream's own key out of what it answered, in place: some servers repeat the key that they refuse. */
export function withoutKey(fault: Fault, upstream: Pick<UpstreamEntry, 'credential'> | undefined): Fault {
  const key = upstream?.credential;
  if (key !== undefined && key.length >= leastLength) fault.message = fault.message.replaceAll(key, '•••');
  return fault;
}
