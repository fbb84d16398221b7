import { newId } from '../ids.ts';
import { insertMcpServer, removeMcpServer, updateMcpServer } from '../mcp/servers.ts';
import { CannotUnseal, unseal } from '../secrets/secrets.ts';
import { checkOutboundUrl } from '../upstreams/address.ts';
import { sealedCredential } from '../upstreams/sealed-columns.ts';
import type { EntryOf, Section } from './section.ts';

/**
 * MCP servers by name. Their tools, and who may use them, are not part of the file: each server lists its own tools.
 */
export const mcpServers: Section<EntryOf<'mcpServers'>> = {
  secrets: ['credential'],
  nameOf: ({ name }) => name,
  async rows({ prisma, secretKey }) {
    const rows = await prisma.mcpServer.findMany({ where: { origin: 'admin' }, orderBy: { name: 'asc' } });
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      managed: row.managedBy === 'file',
      active: row.enabled,
      fields: {
        url: row.url,
        auth: row.auth,
        authName: row.authName,
        authIssuer: row.authIssuer,
        credential: unsealed(secretKey, row) ?? null,
        timeoutMs: row.timeoutMs,
        callsPerMinute: row.callsPerMinute,
        concurrentCalls: row.concurrentCalls,
        enabled: row.enabled,
      },
    }));
  },
  rowOf: (_, { name }, rows) => rows.find((row) => row.name === name),
  fieldsOf: ({ name: _, url, credential, ...rest }) => ({
    ...rest,
    url: checkOutboundUrl(url).href,
    credential: credential || null,
  }),
  async put({ prisma, secretKey, by }, { name, url, credential, ...rest }, row) {
    const data = {
      ...rest,
      url: checkOutboundUrl(url).href,
      managedBy: 'file',
      ...sealedCredential(secretKey, credential),
    };
    if (row === undefined) await insertMcpServer(prisma, by, { ...data, id: newId('mcp'), name });
    else await updateMcpServer(prisma, by, { id: row.id, data });
  },
  without: 'disable',
  async disable({ prisma, by }, { id }) {
    await updateMcpServer(prisma, by, { id, data: { enabled: false } });
  },
  remove: ({ prisma, by }, { id }) => removeMcpServer(prisma, by, id),
};

/** None if it was encrypted under another SECRET_KEY. */
function unsealed(
  secretKey: string,
  { credential, credentialKeyId }: { readonly credential: string | null; readonly credentialKeyId: string | null },
): string | undefined {
  if (credential === null) return undefined;
  try {
    return unseal(secretKey, { ciphertext: credential, keyId: credentialKeyId ?? '' });
  } catch (problem) {
    if (problem instanceof CannotUnseal) return undefined;
    throw problem;
  }
}
