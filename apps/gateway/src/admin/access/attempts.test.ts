import { expect, it } from 'vitest';
import { Attempts } from './attempts.ts';

it('security 23: an eleventh attempt on one account is refused from any address, until the window is over', () => {
  let now = 0;
  const attempts = new Attempts(() => now);
  for (let n = 0; n < 10; n++) attempts.begin('A@example.com', `10.0.0.${n}`);
  expect(() => attempts.begin('a@example.com', '10.0.1.1')).toThrow(/try again in 15 min/);
  expect(() => attempts.begin('b@example.com', '10.0.1.1')).not.toThrow();
  now += 15 * 60_000;
  expect(() => attempts.begin('a@example.com', '10.0.1.1')).not.toThrow();
});

it('security 23: one address may not try many accounts', () => {
  const attempts = new Attempts(() => 0);
  for (let n = 0; n < 50; n++) attempts.begin(`user${n}@example.com`, '10.0.0.1');
  expect(() => attempts.begin('other@example.com', '10.0.0.1')).toThrow(/Too many/);
});

it('success is not held against anyone', () => {
  const attempts = new Attempts(() => 0);
  for (let n = 0; n < 200; n++) {
    attempts.begin('a@example.com', '10.0.0.1');
    attempts.succeeded('a@example.com', '10.0.0.1');
  }
});
