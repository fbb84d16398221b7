import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId, newTurnId, shownTurnId, turnTime, turnUuid } from '../ids.ts';
import { fitsPassword, hashPassword } from './passwords.ts';
import { CannotUnseal, hashKey, hashSession, hintOf, newApiKey, newPassword, seal, unseal } from './secrets.ts';

const SECRET = `${'a'.repeat(31)}b`;

describe('secrets', () => {
  it('D-26 hashes depend on SECRET_KEY and on what is hashed', () => {
    const hash = hashKey(SECRET, 'sk-cs-1');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashKey(SECRET, 'sk-cs-1')).toBe(hash);
    expect(hashKey(`${SECRET}x`, 'sk-cs-1')).not.toBe(hash);
    expect(hashSession(SECRET, 'sk-cs-1')).not.toBe(hash);
  });

  it('D-26 a key is hashed with HMAC-SHA-256, whatever the length of SECRET_KEY', () => {
    for (const secret of [SECRET, 'short', 'ä'.repeat(32), 'x'.repeat(64), 'y'.repeat(65), 'z'.repeat(300)])
      expect(hashKey(secret, 'sk-1')).toBe(createHmac('sha256', secret).update('key\0sk-1').digest('hex'));
  });

  it('D-26 an encrypted text opens under its own key only, and its key id says which', () => {
    const sealed = seal(SECRET, 'sk-upstream ✓');
    expect(sealed.ciphertext).not.toContain('upstream');
    expect(unseal(SECRET, sealed)).toBe('sk-upstream ✓');
    expect(() => unseal(`${SECRET}x`, sealed)).toThrow(CannotUnseal);
    const damaged = { ...sealed, ciphertext: `${sealed.ciphertext.slice(0, -2)}AA` };
    expect(() => unseal(SECRET, damaged)).toThrow(CannotUnseal);
  });

  it('new keys carry 160 random bits and show their last four', () => {
    const key = newApiKey();
    expect(key).toMatch(/^sk-cs-[0-9a-f]{40}$/);
    expect(hintOf(key)).toBe(`sk-cs-…${key.slice(-4)}`);
    expect(hintOf('any-form-of-a-key-1234')).toBe('…1234');
    expect(newPassword()).toMatch(/^([a-z23]{4}-){4}[a-z23]{4}$/);
  });

  it('security 23: passwords are argon2id; without a hash nothing matches', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).toMatch(/^\$argon2id\$/);
    expect(await fitsPassword(hash, 'correct horse')).toBe(true);
    expect(await fitsPassword(hash, 'correct hors')).toBe(false);
    expect(await fitsPassword(null, 'correct horse')).toBe(false);
  });
});

describe('ids', () => {
  it('D-27 a turn id is a UUIDv7 that contains its time, and is shown as turn_ + hex', () => {
    const at = new Date('2026-03-04T05:06:07.089Z');
    const id = newTurnId(at);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(turnTime(id)).toEqual(at);
    expect(turnUuid(shownTurnId(id))).toBe(id);
    expect(turnUuid('turn_nonsense')).toBeUndefined();
  });

  it('ids sort by age', async () => {
    const first = newId('key');
    await new Promise((done) => setTimeout(done, 3));
    expect(newId('key') > first).toBe(true);
  });
});
