import { otherBaseUrl } from '@callsmith/contracts';
import { newId } from '../ids.ts';
import { baseUrlOf } from '../upstreams/address.ts';
import { addressingOf } from '../upstreams/addressing.ts';
import { sealedCredential, sealedHeaders } from '../upstreams/sealed-columns.ts';
import { insertUpstream, removeUpstream, updateUpstream } from '../upstreams/upstreams.ts';
import type { EntryOf, Section } from './section.ts';

/** Upstreams by name. */
export const upstreams: Section<EntryOf<'upstreams'>> = {
  secrets: ['credential', 'headers'],
  nameOf: ({ name }) => name,
  async rows({ prisma, secretKey }, entries) {
    const rows = await prisma.upstream.findMany({
      where: { removedAt: null, origin: 'admin' },
      orderBy: { name: 'asc' },
    });
    return rows.map((row) => {
      const { credential, headers } = addressingOf(row, secretKey);
      const entry = entries.find(({ name }) => name === row.name);
      const declaredUrl = entry && baseUrlOf(entry.baseUrl);
      // Its models were found at the other possible base URL.
      const found = declaredUrl !== undefined && otherBaseUrl(declaredUrl) === row.baseUrl;
      return {
        id: row.id,
        name: row.name,
        managed: row.managedBy === 'file',
        active: row.enabled,
        fields: {
          baseUrl: found ? declaredUrl : row.baseUrl,
          kind: row.kindSource === 'declared' ? row.kind : null,
          api: row.api,
          credential: credential ?? null,
          credentialHeader: row.credentialHeader,
          credentialScheme: row.credentialScheme,
          headers: headers ?? {},
          connectTimeoutMs: row.connectTimeoutMs,
          firstByteTimeoutMs: row.firstByteTimeoutMs,
          idleTimeoutMs: row.idleTimeoutMs,
          maxConnections: row.maxConnections,
          enabled: row.enabled,
        },
      };
    });
  },
  rowOf: (_, { name }, rows) => rows.find((row) => row.name === name),
  fieldsOf: ({ name: _, baseUrl, credential, ...rest }) => ({
    ...rest,
    baseUrl: baseUrlOf(baseUrl),
    credential: credential || null,
  }),
  async put({ prisma, secretKey, by }, { baseUrl, kind, credential, headers, ...rest }, row) {
    const url = baseUrlOf(baseUrl);
    const moved = row !== undefined && row.fields.baseUrl !== url;
    const kindMoved = row === undefined || moved || row.fields.kind !== kind;
    const data = {
      ...rest,
      managedBy: 'file',
      ...((row === undefined || moved) && { baseUrl: url }),
      ...(kindMoved && { kind, kindSource: kind === null ? 'discovered' : 'declared' }),
      ...sealedCredential(secretKey, credential),
      ...sealedHeaders(secretKey, headers),
    };
    const after = Object.keys(headers);
    if (row === undefined) {
      await insertUpstream(prisma, by, { data: { ...data, id: newId('up'), baseUrl: url }, headers: after });
      return;
    }
    const headerNames = { before: Object.keys(row.fields.headers as object), after };
    await updateUpstream(prisma, by, { id: row.id, data, moved, headerNames });
  },
  without: 'disable',
  async disable({ prisma, by }, { id, fields }) {
    const names = Object.keys(fields.headers as object);
    const headerNames = { before: names, after: names };
    await updateUpstream(prisma, by, { id, data: { enabled: false }, moved: false, headerNames });
  },
  async remove({ prisma, by }, { id, fields }) {
    await removeUpstream(prisma, by, { id, headers: Object.keys(fields.headers as object) });
  },
};
