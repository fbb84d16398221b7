import { expect, it } from 'vitest';
import { proxyFor } from './outgoing-proxy.ts';

const proxies = (except?: string) => ({ http: 'http://plain:3128', https: 'user:p%40ss@secure:8080', except });

it('each scheme has its own proxy; a scheme may be omitted, user and password are separate', () => {
  expect(proxyFor(undefined, 'http://gpu/v1')).toBeUndefined();
  expect(proxyFor(proxies(), 'http://gpu/v1')).toEqual({ origin: 'http://plain:3128', authorization: undefined });
  expect(proxyFor(proxies(), 'https://gpu/v1')).toEqual({
    origin: 'http://secure:8080',
    authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
  });
  expect(proxyFor({ http: undefined, https: 'http://x', except: undefined }, 'http://gpu/v1')).toBeUndefined();
});

it.each([
  ['*', 'http://gpu/v1', true],
  ['gpu', 'http://gpu:8000/v1', true],
  ['GPU', 'http://gpu/v1', true],
  ['gpu:8000', 'http://gpu:8000/v1', true],
  ['gpu:8001', 'http://gpu:8000/v1', false],
  ['gpu:80', 'http://gpu/v1', true],
  ['gpu:443', 'https://gpu/v1', true],
  ['example.com', 'http://a.b.example.com/v1', true],
  ['.example.com', 'http://a.example.com/v1', true],
  ['*.example.com', 'http://a.example.com./v1', true],
  ['example.com', 'http://badexample.com/v1', false],
  ['a, b;c,\t.svc , gpu', 'http://vllm.svc/v1', true],
  ['10.0.0.0/8', 'http://10.1.2.3:8000/v1', true],
  ['10.0.0.0/8', 'http://11.1.2.3:8000/v1', false],
  ['10.0.0.0/99,10.0.0.0/x', 'http://10.0.0.1/v1', false],
  ['127.0.0.1', 'http://127.0.0.1:1234/v1', true],
  ['[::1]:1234', 'http://[::1]:1234/v1', true],
  ['::1', 'http://[::1]:1234/v1', true],
  ['fd00::/8', 'http://[fd12::1]/v1', true],
  ['0.1', 'http://10.0.0.1/v1', false],
  ['', 'http://gpu/v1', false],
  [' , ', 'http://gpu/v1', false],
])('NO_PROXY=%s: %s directly: %s', (except, url, direct) => {
  expect(proxyFor(proxies(except), url) === undefined).toBe(direct);
});
