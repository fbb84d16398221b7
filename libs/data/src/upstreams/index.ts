export { baseUrlOf, checkUpstreamUrl, guardedLookup, RefusedAddress } from './address.ts';
export { Unreachable } from './ask.ts';
export { type Discovered, discover } from './discover.ts';
export { syncEnvUpstream } from './env-upstream.ts';
export { UpstreamWatch } from './upstream-watch.ts';
export {
  findUpstream,
  insertUpstream,
  listHealth,
  listUpstreams,
  removeUpstream,
  type UpstreamDetail,
  updateUpstream,
  upstreamIsNamed,
} from './upstreams.ts';
