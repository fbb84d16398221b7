import type { Config } from '@callsmith/config';
import { digestOf, hashKey, hashKeyDigest } from '@callsmith/data/secrets';
import type { ConfigSnapshot, KeyEntry } from '@callsmith/data/snapshot';
import { Fault } from '@callsmith/turn';
import { apiKeyIn, hintOf, type RequestHeaders } from './api-key.ts';

/** The current and the former secret for key hashes. */
type Secrets = Pick<Config, 'secretKey'> & Partial<Pick<Config, 'previousSecretKey'>>;

/** The key of a request, from the snapshot. Throws `invalid_api_key` with advice how to correct it. */
export function identifyKey(headers: RequestHeaders, snapshot: ConfigSnapshot, secrets: Secrets): KeyEntry {
  const key = apiKeyIn(headers);
  if (key === undefined)
    throw new Fault('invalid_api_key', 'The request has no API key. Send it as "Authorization: Bearer <key>".');
  if (snapshot.stale)
    throw new Fault('store_unavailable', 'API keys cannot be checked while the database is unreachable.', {
      headers: { 'retry-after': '5' },
    });
  const entry = entryOf(key, snapshot, secrets);
  if (entry === undefined)
    throw new Fault(
      'invalid_api_key',
      `The API key ${hintOf(key)} is unknown, revoked or expired. ${key.length < 20 ? 'It is too short to be one from here: check that it was copied whole and is not a placeholder.' : 'Check it on the Keys page.'}`,
    );
  return entry;
}

/** A key as it is stored; one hashed with the former SECRET_KEY is rehashed. */
function entryOf(
  key: string,
  snapshot: ConfigSnapshot,
  { secretKey, previousSecretKey }: Secrets,
): KeyEntry | undefined {
  return (
    entryBy((pepper) => hashKey(pepper, key), snapshot, secretKey, previousSecretKey) ??
    // Imported keys are stored by their SHA-256: some systems have nothing else.
    entryBy((pepper) => hashKeyDigest(pepper, digestOf(key)), snapshot, secretKey, previousSecretKey)
  );
}

function entryBy(
  hashed: (pepper: string) => string,
  snapshot: ConfigSnapshot,
  secretKey: string,
  previousSecretKey: string | undefined,
): KeyEntry | undefined {
  const hash = hashed(secretKey);
  const entry = snapshot.key(hash);
  if (entry !== undefined || previousSecretKey === undefined) return entry;
  const former = snapshot.key(hashed(previousSecretKey));
  if (former) snapshot.rehash(former.id, hash);
  return former;
}
