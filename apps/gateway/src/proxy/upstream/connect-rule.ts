import { checkUpstreamUrl, guardedLookup } from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';
import type { ConnectRule } from './upstream-client.ts';

/**
 * Which addresses upstreams may have (security 11). The URL is checked again when connections are opened, and the
 * socket's lookup accepts checked addresses only. Throws `upstream_unreachable`.
 */
export const guarded: ConnectRule = ({ name, baseUrl }) => {
  try {
    checkUpstreamUrl(baseUrl);
  } catch (cause) {
    throw new Fault('upstream_unreachable', `${name}: ${(cause as Error).message}.`, { cause });
  }
  return { lookup: guardedLookup };
};
