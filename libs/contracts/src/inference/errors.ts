import { origins } from '@callsmith/turn';
import { z } from 'zod';

const common = { message: z.string(), code: z.string(), origin: z.enum(origins) };

/** An error in OpenAI's form; in a chat stream an event with the same body. */
export const openaiError = z.strictObject({
  error: z.strictObject({ ...common, type: z.string(), param: z.string().nullable() }),
});

const anthropicMembers = {
  type: z.literal('error'),
  error: z.strictObject({
    ...common,
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'billing_error',
      'permission_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'api_error',
      'timeout_error',
      'overloaded_error',
    ]),
    param: z.string().optional(),
  }),
};

/** An error in Anthropic's form. */
export const anthropicError = z.strictObject({ ...anthropicMembers, request_id: z.string() });

/** The same as an event of a stream. */
export const anthropicErrorEvent = z.strictObject(anthropicMembers);

/** An error in Google's form; in a stream an event with the same body. */
export const geminiError = z.strictObject({
  error: z.strictObject({
    code: z.int().meta({ description: 'The HTTP status.' }),
    message: z.string(),
    status: z.enum([
      'INVALID_ARGUMENT',
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'NOT_FOUND',
      'ABORTED',
      'RESOURCE_EXHAUSTED',
      'INTERNAL',
      'UNIMPLEMENTED',
      'UNAVAILABLE',
      'DEADLINE_EXCEEDED',
    ]),
    details: z.array(
      z.discriminatedUnion('@type', [
        z.strictObject({
          '@type': z.literal('type.googleapis.com/google.rpc.ErrorInfo'),
          reason: z.string(),
          domain: z.literal('callsmith'),
          metadata: z.strictObject({ code: z.string(), origin: common.origin, param: z.string().optional() }),
        }),
        z.strictObject({
          '@type': z.literal('type.googleapis.com/google.rpc.RetryInfo'),
          retryDelay: z.string(),
        }),
      ]),
    ),
  }),
});

/** The same in response to a streaming request: alone if events were requested, else in an array. */
export const geminiStreamError = z.union([geminiError, z.tuple([geminiError])]);
