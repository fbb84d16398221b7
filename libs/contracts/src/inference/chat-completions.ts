import { z } from 'zod';

// `/v1/chat/completions`, following OpenAI's API. Fields that a model server adds pass through, so the response schemas
// are open.

const tokens = z.int().min(0);
const finishReason = z.enum(['stop', 'length', 'tool_calls', 'function_call', 'content_filter']);

const usage = z.looseObject({
  prompt_tokens: tokens,
  completion_tokens: tokens.nullish(),
  total_tokens: tokens.nullish(),
});

const tool = z.looseObject({ type: z.string().optional() });
const message = z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']) });

/** The body of `/v1/chat/completions`; other members are parameters of the model and passed on. */
export const chatRequest = z.looseObject({
  model: z.string().optional().meta({ description: 'May be left out if the path names the model.' }),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: z.array(z.looseObject({ name: z.string() })).nullish(),
  function_call: z.union([z.string(), z.looseObject({ name: z.string() })]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: z.int().min(-1).nullish(),
  max_completion_tokens: z.int().min(-1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  verbosity: z.string().nullish(),
  reasoning_effort: z.string().nullish(),
});

const functionCall = z.strictObject({ name: z.string(), arguments: z.string() });
const call = z.discriminatedUnion('type', [
  z.strictObject({ id: z.string(), type: z.literal('function'), function: functionCall }),
  z.strictObject({
    id: z.string(),
    type: z.literal('custom'),
    custom: z.strictObject({ name: z.string(), input: z.string() }),
  }),
]);

/** A whole response. */
export const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: tokens,
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullish(),
        reasoning_content: z.string().nullish(),
        tool_calls: z.array(call).nullish(),
        function_call: functionCall.nullish(),
      }),
      finish_reason: finishReason,
    }),
  ),
  usage: usage.nullish(),
});

const callDelta = z.union([
  z.strictObject({
    index: tokens,
    id: z.string().optional(),
    type: z.literal('function').optional(),
    function: z.strictObject({ name: z.string().optional(), arguments: z.string() }),
  }),
  z.strictObject({
    index: tokens,
    id: z.string().optional(),
    type: z.literal('custom').optional(),
    custom: z.strictObject({ name: z.string().optional(), input: z.string() }),
  }),
]);

/** A chunk of a streamed response; the last event is `[DONE]`. */
export const chatChunk = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: tokens,
      delta: z.looseObject({
        role: z.literal('assistant').optional(),
        content: z.string().nullish(),
        reasoning_content: z.string().nullish(),
        tool_calls: z.array(callDelta).nullish(),
        function_call: functionCall.partial().nullish(),
      }),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullish(),
});
