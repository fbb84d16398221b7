import { z } from 'zod';
import { anthropicErrorEvent } from './errors.ts';

// `/v1/messages` and its related routes, following Anthropic's API.

const index = z.int().min(0);
const tokens = z.int().min(0);
const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']);

const usage = z.strictObject({
  input_tokens: tokens.meta({ description: 'Excludes tokens read from a cache.' }),
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  output_tokens: tokens,
  estimated: z.literal(true).optional().meta({ description: 'The upstream reported no usage; Callsmith counted.' }),
});

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);

/** The body of `/v1/messages/count_tokens`; other members are ignored or parameters of the model. */
export const countRequest = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  system: content.optional(),
  tools: z.array(z.looseObject({})).optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
});

/** The body of `/v1/messages`. */
export const messageRequest = countRequest.extend({
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
});

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const block = z.discriminatedUnion('type', [text, thinking, toolUse]);

const members = {
  id: z.string().startsWith('msg_'),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  stop_sequence: z.string().nullable(),
  usage,
};

/** A whole response. */
export const message = z.strictObject({ ...members, content: z.array(block).min(1), stop_reason: stopReason });

const event = <Type extends string, Members extends z.ZodRawShape>(type: Type, more: Members) =>
  z.strictObject({ type: z.literal(type), ...more });

/** An event of a streamed response. */
export const messageEvent = z.discriminatedUnion('type', [
  event('message_start', {
    message: z.strictObject({ ...members, content: z.array(block).max(0), stop_reason: z.null() }),
  }),
  event('ping', {}),
  event('content_block_start', { index, content_block: block }),
  event('content_block_delta', {
    index,
    delta: z.discriminatedUnion('type', [
      event('text_delta', { text: z.string() }),
      event('thinking_delta', { thinking: z.string() }),
      event('signature_delta', { signature: z.string() }),
      event('input_json_delta', { partial_json: z.string() }),
    ]),
  }),
  event('content_block_stop', { index }),
  event('message_delta', {
    delta: z.strictObject({ stop_reason: stopReason, stop_sequence: z.string().nullable() }),
    usage,
  }),
  event('message_stop', {}),
  anthropicErrorEvent,
]);

/** The tokens of a prompt. */
export const tokenCount = z.strictObject({ input_tokens: tokens });

/** A model in Anthropic's form. */
export const anthropicModel = z.strictObject({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
  max_input_tokens: z.int().optional(),
});

/** A page of models in Anthropic's form. */
export const anthropicModelList = z.strictObject({
  data: z.array(anthropicModel),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});
