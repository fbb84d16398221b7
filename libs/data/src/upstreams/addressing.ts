import { CannotUnseal, unseal } from '../secrets/secrets.ts';

/** Where an upstream is, and what every request to it carries: looks at it and turns alike. */
export interface Addressing {
  /** See `wholeBaseUrl`; its query goes along with every request. */
  readonly baseUrl: string;
  /** Its API key in clear. */
  readonly credential: string | undefined;
  /** The header that the key stands in; absent: `Authorization`. */
  readonly credentialHeader?: string | undefined;
  /** The word before the key, empty for none; absent: `Bearer` in `Authorization`, none elsewhere. */
  readonly credentialScheme?: string | undefined;
  /** Further headers, in clear. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** It is never asked through a proxy. */
  readonly direct?: boolean | undefined;
}

/** The headers of its own that an upstream is sent, names in lower case. */
export function ownHeaders({ credential, credentialHeader, credentialScheme, headers }: Addressing) {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) own[name.toLowerCase()] = value;
  if (credential === undefined) return own;
  const name = (credentialHeader ?? 'authorization').toLowerCase();
  const scheme = credentialScheme ?? (name === 'authorization' ? 'Bearer' : '');
  own[name] = scheme === '' ? credential : `${scheme} ${credential}`;
  return own;
}

/** What must not be repeated of an upstream's addressing. */
export const secretsOf = ({ credential, headers }: Pick<Addressing, 'credential' | 'headers'>): string[] => [
  ...(credential === undefined ? [] : [credential]),
  ...Object.values(headers ?? {}),
];

/** The columns of an upstream's row that say how it is addressed. */
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

/** How an upstream's row says that it is addressed; without what was sealed by a SECRET_KEY that is no longer the one. */
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
