import { networkInterfaces } from 'node:os';
import type { Settings } from '@callsmith/config';

/** The gateway's address on this machine, whatever it listens on. */
export function localUrl(host: string, port: number): string {
  return `http://${isAnyAddress(host) ? '127.0.0.1' : bracketed(host)}:${port}`;
}

/** The address that users open. */
export function shownUrl({ host, publicUrl }: Settings['server'], port: number): string {
  return publicUrl ?? localUrl(host, port);
}

/** The addresses for other machines, as far as this one knows them; empty if they cannot reach it. */
export function outsideUrls({ host }: Settings['server'], port: number): string[] {
  if (!isAnyAddress(host)) return isLoopbackOnly(host) ? [] : [`http://${bracketed(host)}:${port}`];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => `http://${address}:${port}`);
}

const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** True if only this machine can reach it. */
export const isLoopbackOnly = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
