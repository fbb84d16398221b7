import { expect, it } from 'vitest';
import { rotationOf } from './rotation.ts';

const now = Date.parse('2026-07-01T00:00:00Z');
const key = (given: object = {}) => ({
  createdAt: '2026-06-01T00:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  rotatedTo: null,
  kind: 'issued' as const,
  ...given,
});

it('a key is due 180 days after it was made, and says so two weeks before', () => {
  expect(rotationOf(key(), now)).toEqual({ at: '2026-11-28T00:00:00.000Z', state: 'later', because: 'age' });
  expect(rotationOf(key({ createdAt: '2026-01-10T00:00:00.000Z' }), now)?.state).toBe('soon');
  expect(rotationOf(key({ createdAt: '2026-01-02T00:00:00.000Z' }), now)?.state).toBe('due');
});

it('what expires before is due then', () => {
  expect(rotationOf(key({ expiresAt: '2026-07-10T00:00:00.000Z' }), now)).toEqual({
    at: '2026-07-10T00:00:00.000Z',
    state: 'soon',
    because: 'expiry',
  });
  expect(rotationOf(key({ expiresAt: '2028-01-01T00:00:00.000Z' }), now)?.because).toBe('age');
});

it.each([
  { revokedAt: '2026-06-02T00:00:00.000Z' },
  { rotatedTo: 'key_2' },
  { expiresAt: '2026-06-30T00:00:00.000Z' },
  { kind: 'demo' as const },
  { kind: 'env' as const },
])('none where nothing is replaced: %j', (given) => {
  expect(rotationOf(key(given), now)).toBeUndefined();
});
