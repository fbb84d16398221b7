import { expect, it } from 'vitest';
import { sameOrigin } from './same-origin.ts';

const at = (given: { origin?: string; fetchSite?: string; host?: string; publicUrl?: string }) =>
  sameOrigin({
    origin: given.origin,
    fetchSite: given.fetchSite,
    host: given.host ?? 'gpu-box:4000',
    publicUrl: given.publicUrl,
  });

it.each([
  ['the own address over plain http', { origin: 'http://gpu-box:4000' }],
  ['upper case in Host', { origin: 'http://gpu-box:4000', host: 'GPU-Box:4000' }],
  ['a default port', { origin: 'https://gpu-box', host: 'gpu-box' }],
  ['what the browser calls the same', { origin: 'http://gpu-box:4000', fetchSite: 'same-origin' }],
  [
    'PUBLIC_URL behind a proxy',
    { origin: 'https://a.example', publicUrl: 'https://a.example/', host: '10.0.0.7:4000' },
  ],
  ['no browser', {}],
])('security 23: a write from %s is accepted', (_, given) => expect(at(given)).toBe(true));

it.each([
  ['another site', { origin: 'https://evil.example' }],
  ['another port of the same machine', { origin: 'http://gpu-box:5000' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['a neighbour', { origin: 'http://gpu-box:4000', fetchSite: 'same-site' }],
  ['a browser that only says cross-site', { fetchSite: 'cross-site' }],
  ['a prefix of PUBLIC_URL', { origin: 'https://a.example.evil', publicUrl: 'https://a.example' }],
])('security 23: a write from %s is refused', (_, given) => expect(at(given)).toBe(false));
