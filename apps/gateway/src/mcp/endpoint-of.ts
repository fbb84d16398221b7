import { CannotUnseal, unseal } from '@callsmith/data/secrets';
import type { McpEndpoint, StdioTransport } from '@callsmith/mcp';
import { Fault } from '@callsmith/turn';

/** The columns of a server's row that describe how it is reached. */
export interface McpServerColumns {
  readonly id: string;
  readonly name: string;
  readonly url: string | null;
  readonly auth: string;
  readonly authName: string | null;
  readonly authIssuer: string | null;
  readonly credential: string | null;
  readonly credentialKeyId: string | null;
  readonly changedAt: Date;
}

/**
 * How a server is reached; contains nothing from a client. `programs`: those of MCP_SERVERS_FILE on this host. Throws
 * `mcp_server_unavailable` if it cannot be reached.
 */
export function endpointOf(
  row: McpServerColumns,
  { secretKey, programs }: { readonly secretKey: string; readonly programs: ReadonlyMap<string, StdioTransport> },
): McpEndpoint {
  const version = row.changedAt.toISOString();
  if (row.url === null) {
    const transport = programs.get(row.name);
    if (transport === undefined)
      throw new Fault(
        'mcp_server_unavailable',
        `The MCP server "${row.name}" is not in this gateway's MCP_SERVERS_FILE.`,
      );
    return { id: row.id, version, transport };
  }
  const credential = credentialOf(row, secretKey);
  const oauth =
    row.auth === 'oauth' && row.authName !== null && row.authIssuer !== null && credential !== undefined
      ? { clientId: row.authName, clientSecret: credential, issuer: row.authIssuer }
      : undefined;
  return {
    id: row.id,
    version,
    transport: { kind: 'http', url: row.url, headers: oauth ? {} : headersOf(row, credential), oauth },
  };
}

function headersOf({ auth, authName }: McpServerColumns, credential: string | undefined): Record<string, string> {
  if (credential === undefined) return {};
  if (auth === 'bearer') return { authorization: `Bearer ${credential}` };
  return auth === 'header' && authName !== null ? { [authName.toLowerCase()]: credential } : {};
}

function credentialOf({ credential, credentialKeyId, name }: McpServerColumns, secretKey: string): string | undefined {
  if (credential === null) return undefined;
  try {
    return unseal(secretKey, { ciphertext: credential, keyId: credentialKeyId ?? '' });
  } catch (cause) {
    if (!(cause instanceof CannotUnseal)) throw cause;
    throw new Fault('mcp_server_unavailable', `The credential of the MCP server "${name}" must be entered again.`, {
      cause,
    });
  }
}
