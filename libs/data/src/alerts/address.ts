import type { AlertFormat } from '@callsmith/contracts';
import { z } from 'zod';
import { checkOutboundUrl, RefusedAddress } from '../upstreams/address.ts';

const recipient = z.email().max(320);

/**
 * The checked URL that alerts of a format are sent to: by the rules for upstreams, or for e-mail `mailto:` and one
 * address (RFC 6068, without headers). Throws `RefusedAddress`.
 */
export function alertUrl(url: string, format: AlertFormat): string {
  if (format !== 'email') return checkOutboundUrl(url).href;
  const address = mailAddressOf(url);
  if (address === undefined) throw new RefusedAddress('must be mailto: and one e-mail address');
  return `mailto:${address}`;
}

/** The address of a `mailto:` URL; undefined: invalid, or more than one address. */
export function mailAddressOf(url: string): string | undefined {
  const [, address] = /^mailto:([^?#]*)$/i.exec(url.trim()) ?? [];
  return recipient.safeParse(address).data;
}
