import { z } from 'zod';

/** A model in OpenAI's form, with its capabilities here. */
export const openaiModel = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  context_length: z.int().optional(),
  max_model_len: z.int().optional(),
  capabilities: z.strictObject({
    supports_function_calling: z.literal(true),
    supports_parallel_function_calling: z.literal(true),
    supports_tool_choice: z.literal(true),
    supports_streaming: z.literal(true),
    tool_calling: z.enum(['native', 'prompt']),
  }),
  callsmith: z.strictObject({ strategy: z.string(), dialect: z.string(), available: z.boolean() }),
});

/** The models that a key may use, in OpenAI's form. */
export const openaiModelList = z.strictObject({ object: z.literal('list'), data: z.array(openaiModel) });

/** A body that is passed on, except for the model's name. */
export const passedRequest = z.looseObject({ model: z.string() });

/** The model server's unmodified response. */
export const passedReply = z.looseObject({});

/** Tools as OpenAI's functions. */
export const functionList = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      type: z.literal('function'),
      function: z.strictObject({
        name: z.string().max(64),
        description: z.string().optional(),
        parameters: z.looseObject({}),
      }),
    }),
  ),
});

const jsonRpcId = z.union([z.string(), z.number(), z.null()]);

/** A request of the Model Context Protocol: `tools/list`, `tools/call`, `ping`, `initialize`, `server/discover`. */
export const jsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  id: jsonRpcId.optional(),
  params: z.looseObject({}).optional(),
});

/** Its response. */
export const jsonRpcReply = z.looseObject({ jsonrpc: z.literal('2.0'), id: jsonRpcId.optional() });

/** The response of the base URL itself. */
export const baseUrl = z.strictObject({
  object: z.literal('base_url'),
  base_url: z.string(),
  message: z.string(),
});

/** The response to a probe of the address. */
export const hello = z.strictObject({ message: z.literal('hello') });

/** The newest raw calls, secrets masked. */
export const debugCalls = z.strictObject({ items: z.array(z.looseObject({})), count: z.int().min(0) });

const sums = {
  requests: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  output_tokens: z.int(),
  spend_micros: z.int().meta({ description: 'Millionths of the currency.' }),
};
const left = { limit: z.number(), used: z.number(), remaining: z.number(), resets_at: z.string() };
const perMinute = z.strictObject(left).nullable().meta({ description: 'Null: no limit.' });

/** A key's usage, its limits, and what remains of them. */
export const keyUsage = z.strictObject({
  object: z.literal('usage'),
  key: z.strictObject({ hint: z.string(), owner: z.string(), team: z.string() }),
  from: z.string(),
  to: z.string(),
  currency: z.string(),
  totals: z.strictObject(sums),
  days: z.array(z.strictObject({ date: z.string(), model: z.string().nullable(), ...sums })),
  limits: z.strictObject({
    requests_per_minute: perMinute,
    tokens_per_minute: perMinute,
    concurrent_requests: z.strictObject({ limit: z.number() }).nullable(),
    budgets: z.array(
      z.strictObject({
        of: z.string(),
        unit: z.enum(['spend_micros', 'tokens']),
        period: z.string(),
        ...left,
      }),
    ),
  }),
});

/** An OpenAPI document. */
export const openapiDocument = z.looseObject({ openapi: z.literal('3.1.0') });
