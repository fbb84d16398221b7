import { seal } from '../secrets/secrets.ts';

/** The columns of an API key; empty if there is none. */
export function sealedCredential(secretKey: string, credential: string | null | undefined) {
  const sealed = credential ? seal(secretKey, credential) : undefined;
  return { credential: sealed?.ciphertext ?? null, credentialKeyId: sealed?.keyId ?? null };
}

/** The columns of further headers. */
export function sealedHeaders(secretKey: string, headers: Readonly<Record<string, string>> | undefined) {
  const some = headers && Object.keys(headers).length > 0;
  const sealed = some ? seal(secretKey, JSON.stringify(headers)) : undefined;
  return { headers: sealed?.ciphertext ?? null, headersKeyId: sealed?.keyId ?? null };
}
