import { cpuMs } from '@callsmith/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordedBody, recordedUpTo, storable } from '../record/storable.ts';
import { redact } from './redact.ts';

const SECRETS = [
  'sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz',
  `sk-ant-${'api03-AbCdEfGhIjKlMnOp'}`,
  'sk-cs-0123456789abcdef0123456789abcdef01234567',
  'AKIAIOSFODNN7EXAMPLE',
  'ghp_0123456789abcdefghijABCDEFGHIJ0123',
  'github_pat_11ABCDEFG0abcdefghijkl_0123456789abcdefghijklmnopqrst',
  'glpat-abcdefghij0123456789',
  'xoxb-123456789012-abcdefghij',
  'hf_abcdefghijklmnopqrstuvwxyzABCDEFGH',
  'AIzaSyA0123456789abcdefghijklmnopqrstuvw',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
];

/** Fragments of texts that resemble a secret, or are one. */
const NEAR = [
  /(?:sk-|SK-)[A-Za-z0-9_-]{14,18}/,
  /(?:bearer|Basic|BEARER)\s{1,4}[A-Za-z0-9._~+/-]{11,14}={0,2}/,
  /(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}/,
  /aws_secret_access_key[\\"' :=]{1,10}[A-Za-z0-9/+=]{40}/,
  /gh[pousr]_[A-Za-z0-9]{30}/,
  /github_pat_[A-Za-z0-9_]{40}/,
  /glpat-[A-Za-z0-9_-]{20}/,
  /xox[abeprs]-[A-Za-z0-9-]{10}/,
  /AIza[A-Za-z0-9_-]{35}/,
  /ya29\.[A-Za-z0-9_-]{20}/,
  /hf_[A-Za-z0-9]{30}/,
  /npm_[A-Za-z0-9]{36}/,
  /[sr]k_(?:live|test)_[A-Za-z0-9]{16}/,
  /SG\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{16}/,
  /eyJ[A-Za-z0-9_-]{10}\.eyJ[A-Za-z0-9_-]{10}\.[A-Za-z0-9_-]{5}/,
  /[a-z]:\/\/[a-z|]{1,3}:[a-z:]{3,5}@/,
  /(?:password|passwd|Pwd|secret|client_secret|SECRET_key|api[_-]?key|apikey|access_token|refresh_token|auth_token|X-api-key)[\\"']{0,2}[ ]{0,2}[:=][ ]{0,2}[\\"']{1,2}[a-z=]{6,8}/,
  /(?:[A-Z][A-Z0-9]{0,3}_){0,2}(?:PASSWORD|SECRET|SECRET_KEY|API_KEY|ACCESS_KEY|TOKEN)=[a-z=]{8,9}/,
].map((form) => fc.stringMatching(form));

/** Words that announce a secret, complete and truncated: one may overlap the next one's start. */
const HINTS =
  'sk- bearer basic akia asia aroa aida secret ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox aiza ya29. hf_ npm_ k_live_ k_test_ sg. eyj :// passw pwd apikey api_key api-key access_ refresh_ auth_ token='.split(
    ' ',
  );
const cutHint = fc
  .tuple(fc.constantFrom(...HINTS), fc.nat(4), fc.boolean())
  .map(([hint, cut, up]) => (up ? hint.toUpperCase() : hint).slice(0, hint.length - (cut % hint.length)));
const between = fc.constantFrom('', ' ', '"', '\n', '\\n', '\\t', '\\r', '\\b', '\\f', '-', '_', '.', '/', ':', 'é');

describe('redact', () => {
  it('security 19: a word that announces a secret never hides another one', () => {
    const parts = fc.oneof(...NEAR, cutHint, between, between);
    const texts = fc.oneof(
      parts,
      fc.array(parts, { minLength: 2, maxLength: 8 }).map((all) => all.join('')),
    );
    // In a text with every hint, all forms are searched for.
    const all = `\n|\n${[...HINTS, ...SECRETS].join('\n|\n')}`;
    fc.assert(
      fc.property(texts, (text) => {
        expect(redact(text)).toBe(redact(text + all).slice(0, text.length));
      }),
      { numRuns: 3_000 },
    );
  });

  it('D-29 masks secrets at equal length, and nothing around them', () => {
    for (const secret of SECRETS) {
      const text = `export KEY is ${secret} in "a.ts"`;
      const masked = redact(text);
      expect(masked, secret).toBe(`export KEY is ${'•'.repeat(secret.length)} in "a.ts"`);
    }
  });

  it('masks secrets at the beginning of a line in JSON, and in JSON within JSON', () => {
    for (const secret of SECRETS) {
      const text = JSON.stringify({ content: `first\n${secret}\tlast` });
      expect(redact(text), secret).toBe(text.replace(secret, '•'.repeat(secret.length)));
      const inner = JSON.stringify({ arguments: text });
      expect(redact(inner), secret).toBe(inner.replace(secret, '•'.repeat(secret.length)));
    }
    expect(redact('"first\\nDB_PASSWORD=hunter2222"')).toBe('"first\\nDB_PASSWORD=••••••••••"');
  });

  it('masks what follows a word such as “password”', () => {
    expect(redact('curl -H "Authorization: Bearer abcdefghijkl12345"')).toBe(
      `curl -H "Authorization: Bearer ${'•'.repeat(17)}"`,
    );
    expect(redact('postgres://app:hunter22@db/x')).toBe('postgres://app:••••••••@db/x');
    expect(redact('{"api_key": "my-own-form-of-key"}')).toBe(`{"api_key": "${'•'.repeat(18)}"}`);
    expect(redact('{\\"password\\":\\"hunter22\\"}')).toBe('{\\"password\\":\\"••••••••\\"}');
    expect(redact('DB_PASSWORD=hunter2222\nPORT=1')).toBe('DB_PASSWORD=••••••••••\nPORT=1');
  });

  it('masks every form of standalone secret, within other text, and regardless of case', () => {
    const telling = [
      'password: "hunter2222"',
      'PWD="hunter2222"',
      'client_secret="hunter2222"',
      'apikey: "hunter2222"',
      'X-Api-Key: "hunter2222"',
      'access_token="hunter2222"',
      'refresh_token="hunter2222"',
      'Auth_Token="hunter2222"',
      'SECRET=hunter2222',
      'MY_SECRET_KEY=hunter2222',
      'OPENAI_API_KEY=hunter2222',
      'AWS_ACCESS_KEY=hunter2222',
      'TOKEN=hunter2222',
      'GIT_AUTH_TOKEN=hunter2222',
      'https://me:hunter2222@example.com',
    ];
    for (const text of telling)
      expect(redact(`say ${text}`), text).toBe(`say ${text.replace('hunter2222', '•'.repeat(10))}`);
    const all = [...telling, ...SECRETS, 'ya29.abcdefghijklmnopqrst', 'npm_0123456789abcdefghij0123456789abcdef'].join(
      '\n',
    );
    const masked = redact(all);
    expect(masked).not.toContain('hunter2222');
    for (const secret of SECRETS) expect(masked, secret).not.toContain(secret);
    expect(redact(`aws_secret_access_key = "${'a1B2'.repeat(10)}"`)).toContain('•'.repeat(40));
    expect(redact(`bearer ${'a1B2'.repeat(10)}`)).toBe(`bearer ${'•'.repeat(40)}`);
  });

  it('masks private keys, truncated ones too', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef\n-----END RSA PRIVATE KEY-----\nrest';
    expect(redact(key)).toBe(`-----BEGIN RSA PRIVATE KEY-----${'•'.repeat(13)}-----END RSA PRIVATE KEY-----\nrest`);
    expect(redact('-----BEGIN PRIVATE KEY-----\\nMIIEabc')).toBe(`-----BEGIN PRIVATE KEY-----${'•'.repeat(9)}`);
  });

  it('leaves code unchanged', () => {
    for (const text of [
      'const token = await getToken(request);',
      'max_tokens: 4096, "tokens": 12',
      'if (password.length < 8) throw new Error("too short")',
      'the disk-usage-of-this-machine task-force',
      'https://example.com:8080/path@2',
    ]) {
      expect(redact(text)).toBe(text);
    }
  });

  it('security 14: is linear in hostile text', () => {
    for (const piece of [
      '://a:',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
      'A_B_C_',
      'password":"',
      'eyJaaaaaaaaaa.',
      'sk-',
    ]) {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const began = cpuMs();
      redact(text);
      expect(cpuMs() - began, piece).toBeLessThan(1_000);
    }
  });
});

describe('what is stored', () => {
  it('U+0000 and lone surrogates become one unit each', () => {
    expect(storable('a\0b\ud800c😀')).toBe('a\uFFFDb\uFFFDc😀');
  });

  it('security 19: of a secret across the cut, the part before it is masked', () => {
    const secret = 'sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz';
    expect(recordedUpTo(`ab ${secret} c`, 10)).toBe(`ab ${'•'.repeat(7)}`);
    expect(recordedUpTo(`ab ${secret}`, 100)).toBe(`ab ${'•'.repeat(secret.length)}`);
    expect(recordedUpTo('abc😀d', 4)).toBe('abc\uFFFD');
    const long = `${'x '.repeat(512 * 1024 - 4)}${secret}`;
    const body = { clientRequest: long, upstreamRequest: null, raw: [], delivered: [long], notes: [], settings: {} };
    expect(JSON.stringify(recordedBody(body))).not.toContain('sk-');
  });

  it('security 19: a secret split over fragments of a native call is masked, and the fragments keep their length', () => {
    const secret = 'sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz';
    const json = `{"key":"${secret}"}`;
    const fragments = [...json].map((piece) => ({ index: 0, arguments: piece }));
    const { raw } = recordedBody({
      clientRequest: null,
      upstreamRequest: null,
      raw: [{ choice: 0, text: '', reasoning: '', cuts: [], fragments: [{ index: 0, name: 'f' }, ...fragments] }],
      delivered: { calls: [{ [`${secret}`]: 1 }] },
      notes: [],
      settings: {},
    });
    const stored = raw[0]?.fragments as { arguments?: string }[];
    expect(stored.map((fragment) => fragment.arguments ?? '').join('')).toBe(`{"key":"${'•'.repeat(secret.length)}"}`);
    expect(stored).toHaveLength(fragments.length + 1);
  });
});
