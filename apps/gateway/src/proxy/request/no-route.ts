import { type InboundAdapter, inboundAdapters } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';

/** The refusal of an unknown address: it names the API that was meant, and the supported ones. */
export function noRoute(method: string, path: string): Fault {
  const api = foreignApis.find(({ paths }) => paths.test(path));
  const meant = api ? `${api.name} is not supported. ` : '';
  const supported = isInference(path, api) ? ` ${meant}Supported: ${servedPaths.join(', ')}, GET /v1/models.` : '';
  return new Fault('not_found', `There is no route ${method} ${path.slice(0, 200)}.${slashIn(path)}${supported}`);
}

/** An extra slash from a base URL or a client. */
function slashIn(path: string): string {
  if (path.includes('//')) return ' It has two slashes in a row: the base URL must not end with one.';
  return path.length > 1 && path.endsWith('/') ? ' It ends with a slash: leave that out.' : '';
}

const isInference = (path: string, api: unknown): boolean =>
  api !== undefined || !/^\/(?:api|assets)(?:\/|$)/.test(path);

const servedPaths = [
  ...Object.values(inboundAdapters).map(({ path, address }: InboundAdapter) => address ?? `/v1${path}`),
  '/v1/completions',
  '/v1/embeddings',
  '/v1/rerank',
].map((path) => `POST ${path}`);

/** APIs that clients of other servers use, by their paths. */
const foreignApis: readonly { readonly paths: RegExp; readonly name: string }[] = [
  { paths: /^\/v1beta\d*\/|\/models\/.*:\w+$/, name: "That part of Google's Gemini API" },
  { paths: /^\/api\/(?:chat|generate|tags|show|ps|pull|embed|embeddings|version)$/, name: "Ollama's own API" },
  { paths: /^\/v1\/complete$/, name: "Anthropic's text completions API" },
  { paths: /^\/(?:v1|proxy)\/responses\/compact$/, name: 'Conversation compaction' },
  { paths: /^\/v1\/conversations(?:\/|$)/, name: 'The Conversations API' },
  { paths: /^\/openai\//, name: "Azure's URL format" },
  {
    paths: /^\/v1\/(?:assistants|threads|vector_stores|files|batches|fine_tuning|uploads|evals)(?:\/|$)/,
    name: "OpenAI's API for stored objects",
  },
  { paths: /^\/v1\/(?:audio|images|realtime|videos|moderations)(?:\/|$)/, name: 'That OpenAI API' },
  {
    paths: /^\/v[12]\/(?:score|classify|tokenize|pooling)$|^\/v2\/rerank$/,
    name: 'That API of the model server',
  },
];
