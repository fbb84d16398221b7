export { baseUrlOf, checkOutboundUrl, checkUpstreamUrl, guardedLookup, RefusedAddress } from './address.ts';
export { type Addressing, addressingOf, ownHeaders, secretsOf } from './addressing.ts';
export { type Discovered, discover } from './discover.ts';
export { syncEnvUpstream } from './env-upstream.ts';
export { type OutgoingProxies, type OutgoingProxy, proxyFor } from './outgoing-proxy.ts';
export { Unreachable } from './request-upstream.ts';
export { sealedCredential, sealedHeaders } from './sealed-columns.ts';
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
