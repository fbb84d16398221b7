import type { Follows } from '@callsmith/contracts';
import { cpuMs } from '@callsmith/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_OWN_SECRETS, maskOwnSecrets, type OwnSecret, ownSecretsOf } from './own-secrets.ts';
import { redactWith } from './redact.ts';

const secret = (begins: string, follows: Follows = 'nothing', atLeast = 0): OwnSecret => ({
  id: 'mask_1',
  name: 'Ours',
  begins,
  follows,
  atLeast,
});
const masked = (text: string, ...secrets: OwnSecret[]) => redactWith(text, secrets);

/** The same as a regular expression; not for production, where a pattern may be hostile. */
const CLASSES: Record<Follows, string> = {
  nothing: '',
  digits: '[0-9]',
  hex: '[0-9a-fA-F]',
  'letters-digits': '[0-9A-Za-z]',
  token: '[0-9A-Za-z_-]',
  visible: '[^\\0-\\x20"\'\\\\]',
};

describe('custom secrets', () => {
  it('D-29 are masked at equal length, with all following characters of their kind', () => {
    expect(masked('id ACME-12345678, ACME-123.', secret('ACME-', 'digits', 6))).toBe(`id ${'•'.repeat(13)}, ACME-123.`);
    expect(masked('Project Bluebird starts', secret('Project Bluebird'))).toBe(`${'•'.repeat(16)} starts`);
    expect(masked('{"t":"tok.é😀x","n":1}', secret('tok.', 'visible', 1))).toBe(`{"t":"${'•'.repeat(8)}","n":1}`);
    expect(masked('x-00ffAA-g', secret('x-', 'hex', 1))).toBe('••••••••-g');
    expect(masked('acme-1', secret('ACME-', 'digits', 1))).toBe('acme-1');
  });

  it('never uncover what is masked without them, nor are they uncovered by it', () => {
    const key = 'sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz';
    expect(masked(`a ${key} b`, secret('sk-'))).toBe(`a ${'•'.repeat(key.length)} b`);
    expect(masked(`a ${key} b`, secret('proj-AbCd'))).toBe(`a ${'•'.repeat(key.length)} b`);
    const line = 'postgres://app:ACME1@db/x';
    expect(masked(line, secret('ACME', 'visible', 1))).toBe(`postgres://app:${'•'.repeat(10)}`);
    expect(masked('AB AC', secret('AB'), secret('AC'))).toBe('•• ••');
  });

  it('are found as a pattern of the same meaning finds them', () => {
    const follows = fc.constantFrom(...(Object.keys(CLASSES) as Follows[]));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '_', ' ', '"', 'g', 'Z'), maxLength: 60 });
    const begins = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(text, begins, follows, fc.integer({ min: 1, max: 5 }), (text, begins, follows, atLeast) => {
        const of = secret(begins, follows, follows === 'nothing' ? 0 : atLeast);
        const tail = follows === 'nothing' ? '' : `${CLASSES[follows]}{${atLeast},}`;
        const expected = text.replace(new RegExp(begins + tail, 'g'), (match) => '•'.repeat(match.length));
        expect(maskOwnSecrets(text, text, [of])).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it('security 14: hostile ones, up to their maximum number, are linear in hostile text', () => {
    const hostile = [
      secret('a'.repeat(40), 'hex', 200),
      secret(`b${'a'.repeat(39)}`, 'hex', 200),
      secret('aaa', 'letters-digits', 200),
      secret('a-a-', 'token', 200),
      secret('aaaaaaaa', 'visible', 200),
    ];
    const all = Array.from({ length: MOST_OWN_SECRETS }, (_, n) => hostile[n % hostile.length]!);
    for (const piece of ['a', `${'a'.repeat(199)} `, 'a-', `${'a'.repeat(39)}b`]) {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const began = cpuMs();
      maskOwnSecrets(text, text, all);
      expect(cpuMs() - began, piece.slice(0, 8)).toBeLessThan(2_000);
    }
  });

  it('are read tolerantly: an unknown form of secret is left out', () => {
    const fine = secret('ACME-', 'digits', 6);
    const odd = [null, 1, {}, { ...fine, follows: '.*' }, { ...fine, begins: '' }, { ...fine, atLeast: '6' }];
    expect(ownSecretsOf({ own: [...odd, fine] })).toEqual([fine]);
    for (const stored of [undefined, null, 'x', {}, { own: {} }]) expect(ownSecretsOf(stored)).toEqual([]);
    expect(ownSecretsOf({ own: Array.from({ length: 50 }, () => fine) })).toHaveLength(MOST_OWN_SECRETS);
  });
});
