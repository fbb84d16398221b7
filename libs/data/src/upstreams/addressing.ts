import { CannotUnseal, unseal } from '../secrets/secrets.ts';

/** The address of an upstream, and what every request to it carries: checks and turns alike. */
export interface Addressing {
  /** See `wholeBaseUrl`; its query is sent with every request. */
  readonly baseUrl: string;
  /** Its API key in clear. */
  readonly credential: string | undefined;
  /** The header of the key; undefined: `Authorization`. */
  readonly credentialHeader?: string | undefined;
  /** The scheme before the key, empty for none; undefined: `Bearer` in `Authorization`, none elsewhere. */
  readonly credentialScheme?: string | undefined;
  /** Further headers, in clear. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Requests to it never use a proxy. */
  readonly direct?: boolean | undefined;
}

/** The configured headers of an upstream, with names in lower case. */
export function ownHeaders({ credential, credentialHeader, credentialScheme, headers }: Addressing) {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) own[name.toLowerCase()] = value;
  if (credential === undefined) return own;
  const name = (credentialHeader ?? 'authorization').toLowerCase();
  const scheme = credentialScheme ?? (name === 'authorization' ? 'Bearer' : '');
  own[name] = scheme === '' ? credential : `${scheme} ${credential}`;
  return own;
}

/** Secrets of an upstream's addressing that must be masked. */
export const secretsOf = ({ credential, headers }: Pick<Addressing, 'credential' | 'headers'>): string[] => [
  ...(credential === undefined ? [] : [credential]),
  ...Object.values(headers ?? {}),
];

/** The addressing columns of an upstream's row. */
export interface AddressingColumns {
  readonly baseUrl: string;
  readonly origin: string;
  readonly credential: string | null;
  readonly credentialKeyId: string | null;
  readonly credentialHeader: string | null;
  readonly credentialScheme: string | null;
  readonly headers: string | null;
  readonly headersKeyId: string | null;
}

/** The addressing in an upstream's row; without what was encrypted under a former SECRET_KEY. */
export function addressingOf(row: AddressingColumns, secretKey: string): Addressing {
  const headers = unsealed(secretKey, row.headers, row.headersKeyId);
  return {
    baseUrl: row.baseUrl,
    credential: unsealed(secretKey, row.credential, row.credentialKeyId),
    credentialHeader: row.credentialHeader ?? undefined,
    credentialScheme: row.credentialScheme ?? undefined,
    headers: headers === undefined ? undefined : (JSON.parse(headers) as Record<string, string>),
    direct: row.origin === 'demo',
  };
}

function unsealed(secretKey: string, ciphertext: string | null, keyId: string | null): string | undefined {
  if (ciphertext === null) return undefined;
  try {
    return unseal(secretKey, { ciphertext, keyId: keyId ?? '' });
  } catch (problem) {
    if (problem instanceof CannotUnseal) return undefined;
    throw problem;
  }
}
