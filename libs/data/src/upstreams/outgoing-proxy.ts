import { BlockList, isIP } from 'node:net';

/** The proxies for requests to upstreams: the values of the usual variables. */
export interface OutgoingProxies {
  /** `HTTP_PROXY`: for `http:`. */
  readonly http: string | undefined;
  /** `HTTPS_PROXY`: for `https:`. */
  readonly https: string | undefined;
  /** `NO_PROXY`: hosts, domains, addresses and networks that are contacted directly; `*`: all. */
  readonly except: string | undefined;
}

/** A proxy to use. */
export interface OutgoingProxy {
  /** Scheme, host and port, without user and password. */
  readonly origin: string;
  /** The value of `Proxy-Authorization`; undefined: none. */
  readonly authorization: string | undefined;
}

/** The proxy for a URL; undefined: direct. */
export function proxyFor(proxies: OutgoingProxies | undefined, url: string): OutgoingProxy | undefined {
  if (!proxies) return undefined;
  const target = new URL(url);
  const proxyUrl = target.protocol === 'http:' ? proxies.http : proxies.https;
  return proxyUrl === undefined || isExcepted(target, proxies.except ?? '') ? undefined : proxyOf(proxyUrl);
}

/** `http://user:password@proxy:3128`; without a scheme it is `http:`. */
function proxyOf(proxyUrl: string): OutgoingProxy {
  const { origin, username, password } = new URL(proxyUrl.includes('://') ? proxyUrl : `http://${proxyUrl}`);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { origin, authorization: username === '' ? undefined : `Basic ${Buffer.from(user).toString('base64')}` };
}

/** As curl and Go parse it: `host`, `.domain`, `*.domain`, `10.0.0.0/8`, each with or without a port, or `*`. */
function isExcepted({ hostname, port, protocol }: URL, except: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const ownPort = port || (protocol === 'http:' ? '80' : '443');
  return except
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(host, ownPort, entry));
}

function matches(host: string, port: string, entry: string): boolean {
  const [, name = entry, ofPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (ofPort !== undefined && ofPort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return bare === host || isInNetwork(host, bare);
  const domain = bare.replace(/^\*?\./, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits] = network.split('/');
  const family = isIP(base);
  if (family === 0 || bits === undefined || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const list = new BlockList();
  list.addSubnet(base, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
