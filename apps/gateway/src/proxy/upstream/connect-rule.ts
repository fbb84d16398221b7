import { checkUpstreamUrl, guardedLookup } from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';
import type { ConnectRule } from './upstream-client.ts';

/** Where upstreams may lie (security 11): checked again when a pool is opened, and pinned to the addresses that were checked. */
export const guarded: ConnectRule = ({ name, baseUrl }) => {
  try {
    checkUpstreamUrl(baseUrl);
  } catch (cause) {
    throw new Fault('upstream_unreachable', `${name}: ${(cause as Error).message}.`, { cause });
  }
  return { lookup: guardedLookup };
};
