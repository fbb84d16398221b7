import { createCipheriv, createDecipheriv, createHash, hash, hkdfSync, randomBytes } from 'node:crypto';

/** A text encrypted under SECRET_KEY, with the id of the key that decrypts it (D-26). */
export interface Sealed {
  /** base64url of 12 bytes nonce, 16 bytes tag, ciphertext. */
  readonly ciphertext: string;
  readonly keyId: string;
}

/** The text was encrypted under another SECRET_KEY, or is damaged. */
export class CannotUnseal extends Error {
  override readonly name = 'CannotUnseal';
}

/** The peppered hash of a whole API key, hex: HMAC-SHA-256 under SECRET_KEY. */
export const hashKey = (secretKey: string, key: string): string => pepper(secretKey, 'key', key);

/**
 * The peppered hash of an imported API key, hex, from the key's SHA-256 (lower-case hex): systems that store only that
 * can export it, and who has read it there cannot use it as a key here.
 */
export const hashKeyDigest = (secretKey: string, sha256: string): string => pepper(secretKey, 'key-sha256', sha256);

/** The SHA-256 of an API key, lower-case hex. */
export const digestOf = (key: string): string => hash('sha256', key);

/** The peppered hash of a session cookie's secret, hex. */
export const hashSession = (secretKey: string, secret: string): string => pepper(secretKey, 'session', secret);

/** The peppered hash of the secret in a key owner's cookie, hex. */
export const hashKeySession = (secretKey: string, secret: string): string => pepper(secretKey, 'key-session', secret);

/** The peppered hash of a one-time link's token, hex. */
export const hashLink = (secretKey: string, token: string): string => pepper(secretKey, 'link', token);

/** The signature of a browser known for an account, hex. */
export const hashDevice = (secretKey: string, account: string, device: string): string =>
  pepper(secretKey, 'device', `${account}\0${device}`);

/** A new API key with 160 random bits: `sk-cs-` + 40 hex digits. */
export const newApiKey = (): string => `sk-cs-${randomBytes(20).toString('hex')}`;

/** A new secret for a cookie or link: 192 random bits, base64url. */
export const newToken = (): string => randomBytes(24).toString('base64url');

/** A readable password: five groups of four letters, 92 random bits. */
export function newPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23';
  const drawn = [...randomBytes(64)].filter((byte) => byte < 250).slice(0, 20);
  return drawn.map((byte, at) => (at > 0 && at % 4 === 0 ? '-' : '') + letters[byte % 25]).join('');
}

/** The displayed form of a key: its prefix, if that reveals nothing, and its last four characters. */
export function hintOf(key: string): string {
  const head = /^(?:sk-cs-|sk-)/.exec(key)?.[0] ?? '';
  return `${head}…${key.slice(-4)}`;
}

/** The displayed form of a key of which only the SHA-256 is known. */
export const hintOfDigest = (sha256: string): string => `SHA-256 …${sha256.slice(-4)}`;

/** Encrypts a text with AES-256-GCM. */
export function seal(secretKey: string, text: string): Sealed {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(secretKey), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return {
    ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url'),
    keyId: cipherKeyId(secretKey),
  };
}

/** Decrypts what `seal` encrypted. Throws `CannotUnseal`. */
export function unseal(secretKey: string, { ciphertext, keyId }: Sealed): string {
  if (keyId !== cipherKeyId(secretKey)) throw new CannotUnseal(`encrypted with another SECRET_KEY (${keyId})`);
  const bytes = Buffer.from(ciphertext, 'base64url');
  try {
    const opener = createDecipheriv('aes-256-gcm', cipherKey(secretKey), bytes.subarray(0, 12));
    opener.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]).toString('utf8');
  } catch (cause) {
    throw new CannotUnseal('the encrypted text is damaged', { cause });
  }
}

/** Eight hex digits that name the encryption key derived from SECRET_KEY. */
export const cipherKeyId = (secretKey: string): string =>
  createHash('sha256').update(cipherKey(secretKey)).digest('hex').slice(0, 8);

/** HMAC-SHA-256 (RFC 2104) by two hashes: it runs for every request, and this avoids a `Hmac` object each. */
function pepper(secretKey: string, what: string, secret: string): string {
  const { inner, outer } = padsOf(secretKey);
  const digest = hash('sha256', Buffer.concat([inner, Buffer.from(`${what}\0${secret}`)]), 'buffer');
  return hash('sha256', Buffer.concat([outer, digest]));
}

const blockBytes = 64;
const pads = new Map<string, { readonly inner: Buffer; readonly outer: Buffer }>();

function padsOf(secretKey: string): { readonly inner: Buffer; readonly outer: Buffer } {
  const cached = pads.get(secretKey);
  if (cached) return cached;
  const keyBytes = Buffer.from(secretKey);
  const key = Buffer.alloc(blockBytes);
  (keyBytes.length > blockBytes ? hash('sha256', keyBytes, 'buffer') : keyBytes).copy(key);
  const made = { inner: key.map((byte) => byte ^ 0x36) as Buffer, outer: key.map((byte) => byte ^ 0x5c) as Buffer };
  pads.set(secretKey, made);
  return made;
}

const cipherKeys = new Map<string, Buffer>();

function cipherKey(secretKey: string): Buffer {
  const cached = cipherKeys.get(secretKey);
  if (cached) return cached;
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'callsmith encryption', 32));
  cipherKeys.set(secretKey, key);
  return key;
}
