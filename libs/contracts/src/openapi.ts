import { origins } from '@callsmith/turn';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of an API table, for users of other clients. */
export function openapi(table: Record<string, Record<string, Endpoint>>): Json {
  const paths: Record<string, Json> = {};
  for (const [area, endpoints] of Object.entries(table))
    for (const [name, one] of Object.entries(endpoints)) {
      const path = one.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(area, name, one) };
    }
  return {
    openapi: '3.1.0',
    info: { title: 'Callsmith admin API', version: '1', description: 'Made from libs/contracts. Do not edit.' },
    security: [{ session: [] }, { adminKey: [] }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'callsmith_session' },
        connect: { type: 'apiKey', in: 'cookie', name: 'callsmith_connect' },
        adminKey: { type: 'apiKey', in: 'header', name: 'x-admin-key' },
      },
      schemas: { Error: errorSchema },
    },
  };
}

function operation(area: string, name: string, endpoint: Endpoint): Json {
  return {
    operationId: `${area}.${name}`,
    tags: [area],
    summary: endpoint.summary,
    'x-access': endpoint.access,
    ...(endpoint.access === 'anyone' && { security: [] }),
    ...(endpoint.access === 'key-owner' && { security: [{ connect: [] }] }),
    ...parameters(endpoint),
    ...(taken(endpoint.body) && {
      requestBody: { required: !endpoint.body.safeParse({}).success, content: json(schemaOf(endpoint.body, 'input')) },
    }),
    responses: {
      ...(endpoint.redirects
        ? { '302': { description: 'Go there.' } }
        : { '200': { description: 'Done.', content: replies(endpoint) } }),
      default: failure,
    },
  };
}

const replies = ({ download, reply }: Endpoint): Json =>
  download
    ? Object.fromEntries(download.map((type) => [type, { schema: { type: 'string' } }]))
    : json(schemaOf(reply, 'output'));

function parameters({ params, query }: Endpoint): Json {
  const all = [...fields(params, 'path'), ...fields(query, 'query')];
  return all.length > 0 ? { parameters: all } : {};
}

function fields(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  if (!taken(schema)) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

const taken = (schema: z.ZodType): boolean => schema.type !== 'undefined';

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: shorten }) as Json;
  return rest;
}

/** `format` expresses it; the pattern beside it is 300 characters long. */
function shorten({ jsonSchema }: { jsonSchema: { format?: string; pattern?: string } }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

const json = (schema: unknown): Json => ({ 'application/json': { schema } });

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code', 'origin'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'] },
        code: { type: 'string' },
        origin: { enum: [...origins] },
        fields: {
          type: 'array',
          items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
        },
      },
    },
  },
};

const failure = { description: 'An error.', content: json({ $ref: '#/components/schemas/Error' }) };
