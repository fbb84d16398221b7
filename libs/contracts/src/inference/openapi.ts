import { z } from 'zod';
import { type InferenceRoute, inferenceRoutes } from './routes.ts';
import { inferenceSchemas, type SchemaName } from './schemas.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the inference API. */
export function inferenceOpenapi(): Json {
  const paths: Record<string, Json> = {};
  for (const route of inferenceRoutes) {
    const path = addressOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callsmith inference API',
      version: '1',
      description: 'Made from libs/contracts/src/inference. Do not edit.',
    },
    security: [{ bearer: [] }, { apiKey: [] }, { googleApiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        googleApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
        adminKey: { type: 'apiKey', in: 'header', name: 'x-admin-key' },
      },
      schemas: components(),
    },
  };
}

const addressOf = ({ path }: InferenceRoute): string =>
  path
    .replace('/llm/*', '/llm/{model}/v1/chat/completions')
    .replace('*', '{model}')
    .replace(/\/:(\w+)/g, '/{$1}');

function operation(route: InferenceRoute): Json {
  const { method, summary, access, request, replies, event, error } = route;
  return {
    operationId: `${method.toLowerCase()} ${addressOf(route)}`,
    summary,
    ...(access === 'anyone' && { security: [] }),
    ...(access === 'admin-key' && { security: [{ adminKey: [] }] }),
    ...parameters(route),
    ...(request && { requestBody: { required: true, content: { 'application/json': { schema: ref(request) } } } }),
    responses: {
      ...((replies.length > 0 || event) && {
        '200': {
          description:
            replies.length === 0
              ? 'The events of the response.'
              : event
                ? 'The answer; with `stream: true` its events.'
                : 'The answer.',
          content: {
            ...(replies.length > 0 && {
              'application/json': {
                schema: replies.length === 1 ? ref(replies[0] as SchemaName) : { oneOf: replies.map(ref) },
              },
            }),
            ...(event && { 'text/event-stream': { schema: ref(event) } }),
          },
        },
      }),
      default: { description: 'An error.', content: { 'application/json': { schema: ref(error) } } },
    },
  };
}

function parameters(route: InferenceRoute): Json {
  const inPath = [...addressOf(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = (route.query ?? []).map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  const all = [...inPath, ...inQuery];
  return all.length > 0 ? { parameters: all } : {};
}

const place = (name: string): string => `#/components/schemas/${name}`;
const ref = (name: SchemaName): Json => ({ $ref: place(name) });

/** Every schema once; a schema inside another is referenced. */
function components(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(inferenceSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: place, unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
}
