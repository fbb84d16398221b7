import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { wholeBaseUrl } from '@callsmith/contracts';

/** A forbidden address for an upstream; the message says which and why. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

// Link-local addresses, and those of cloud metadata services.
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addAddress('100.100.100.200', 'ipv4');
REFUSED.addAddress('192.0.0.192', 'ipv4');
REFUSED.addAddress('168.63.129.16', 'ipv4');
REFUSED.addSubnet('224.0.0.0', 4, 'ipv4');
REFUSED.addAddress('255.255.255.255', 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
REFUSED.addSubnet('ff00::', 8, 'ipv6');
REFUSED.addAddress('fd00:ec2::254', 'ipv6');
REFUSED.addAddress('fd20:ce::254', 'ipv6');
// The same addresses embedded in IPv6: mapped, compatible, NAT64 and 6to4.
for (const [address, bits] of [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
] as const) {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const words = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  for (const prefix of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::'])
    REFUSED.addSubnet(`${prefix}${words}`, 96 + bits, 'ipv6');
  REFUSED.addSubnet(`2002:${words}::`, 16 + bits, 'ipv6');
}

/** True for link-local and metadata addresses, in any notation. */
export function isRefused(address: string): boolean {
  const bare = address.split('%')[0] ?? '';
  const family = isIP(bare);
  return family === 0 || REFUSED.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Checks an upstream's URL before it is saved or called: as `checkOutboundUrl`, and without a key in its query, because
 * it is shown. Throws `RefusedAddress`.
 */
export function checkUpstreamUrl(text: string): URL {
  const url = checkOutboundUrl(text);
  for (const name of url.searchParams.keys())
    if (SECRET_NAME.test(name))
      throw new RefusedAddress(`must not contain a key (${name.slice(0, 50)}); enter it as the API key or as a header`);
  return url;
}

/**
 * Checks a URL that the gateway is asked to call: http or https, no user info, no refused address (security 11). A
 * private address is allowed: naming it is the opt-in. Throws `RefusedAddress`.
 */
export function checkOutboundUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new RefusedAddress(`${text.slice(0, 200)} is not a URL`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RefusedAddress(`an upstream's URL begins with http:// or https://, not ${url.protocol}//`);
  }
  if (url.username || url.password) throw new RefusedAddress('must not contain a key; enter it in its own field');
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(host) !== 0 && isRefused(host)) throw refused(host, host);
  if (host === 'metadata' || host === 'metadata.google.internal') throw refused(host, host);
  return url;
}

/**
 * For `net.connect`'s and undici's `lookup`: resolves a name once and returns only the checked addresses, so that a
 * second DNS answer cannot lead elsewhere.
 */
export const guardedLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...(options as LookupOptions), all: true }, (problem, addresses: LookupAddress[]) => {
    if (problem) return done(problem, '');
    const bad = addresses.find(({ address }) => isRefused(address));
    if (bad) return done(refused(host, bad.address), '');
    if (options.all) return done(null, addresses);
    const [first] = addresses;
    return first ? done(null, first.address, first.family) : done(new Error(`${host} has no address`), '');
  });
};

const refused = (host: string, address: string): RefusedAddress =>
  new RefusedAddress(
    host === address
      ? `${host} is a link-local or metadata address, which is blocked`
      : `${host} resolves to ${address}, a link-local or metadata address, which is blocked`,
  );

/** A base URL in its stored form (see `wholeBaseUrl`), checked. Throws `RefusedAddress`. */
export const baseUrlOf = (text: string): string => wholeBaseUrl(checkUpstreamUrl(text).href);

/** Query parameters that contain a credential; a base URL is shown, so it may not have them. */
const SECRET_NAME =
  /^(?:(?:x-|x-goog-)?api[-_]?key|key|code|sig|signature|(?:access[-_]?|auth[-_]?)?token|secret|password)$/i;
