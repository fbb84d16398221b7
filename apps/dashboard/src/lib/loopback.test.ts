import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each([
  ['http://127.0.0.1:4000/v1', true],
  ['http://localhost:4000', true],
  ['http://callsmith.localhost', true],
  ['http://127.9.8.7', true],
  ['http://[::1]:4000/link#token', true],
  ['http://0.0.0.0:4000', true],
  ['https://callsmith.example.com', false],
  ['http://10.0.0.5:4000', false],
  ['http://127.0.0.1.example.com', false],
  ['http://localhost.example.com', false],
  ['http://[2001:db8::1]', false],
  ['no address', false],
])('%s is a loopback address: %s', (address, is) => {
  expect(isLoopback(address)).toBe(is);
});
