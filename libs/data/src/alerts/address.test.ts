import { expect, it } from 'vitest';
import { RefusedAddress } from '../upstreams/address.ts';
import { alertUrl } from './address.ts';

it('e-mail goes to the one address of a mailto: URL', () => {
  expect(alertUrl('MAILTO:on-call@example.com ', 'email')).toBe('mailto:on-call@example.com');
});

it.each([
  'mailto:',
  'mailto:nobody',
  'mailto:a@example.com,b@example.com',
  'mailto:a@example.com?bcc=b@example.com',
  'mailto:a@example.com%0aBcc:b@example.com',
  'mailto:a@example.com\nBcc: b@example.com',
  'mailto:"x y"@example.com',
  'mailto:<a@example.com>',
  'https://example.com/hook',
  'a@example.com',
])('security: %j is no e-mail address', (url) => {
  expect(() => alertUrl(url, 'email')).toThrow(RefusedAddress);
});

it.each(['standard', 'slack'] as const)('a mailto: URL is refused for the format %s', (format) => {
  expect(() => alertUrl('mailto:a@example.com', format)).toThrow(RefusedAddress);
});
