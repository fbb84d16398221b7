import { z } from 'zod';
import { geminiError } from './errors.ts';

// `/v1beta/models/{model}:generateContent` and its related routes, following Google's API.

const tokens = z.int().min(0);

const contents = z.array(
  z.looseObject({ role: z.enum(['user', 'model', 'function']).optional(), parts: z.array(z.looseObject({})) }),
);

/**
 * The body of `:generateContent` and `:streamGenerateContent`; other members are ignored or parameters of the model.
 */
export const generateRequest = z.looseObject({
  contents: contents.min(1),
  systemInstruction: z.union([z.string(), z.looseObject({ parts: z.array(z.looseObject({})) })]).optional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
  toolConfig: z.looseObject({}).optional(),
  generationConfig: z.looseObject({}).optional(),
});

/** The body of `:countTokens`: only contents, or a whole request. */
export const geminiCountRequest = z.union([
  generateRequest,
  z.looseObject({ generateContentRequest: generateRequest }),
]);

const text = z.strictObject({ text: z.string(), thought: z.literal(true).optional() });
const call = z.strictObject({
  functionCall: z.strictObject({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) }),
  thoughtSignature: z.string().optional().meta({ description: 'Send it back with the call.' }),
});

/** A response, or an element of one: in a stream each has new parts, and the last has the finish reason. */
export const generateResponse = z.strictObject({
  candidates: z.array(
    z.strictObject({
      content: z.strictObject({ role: z.literal('model'), parts: z.array(z.union([text, call])).min(1) }),
      finishReason: z.enum(['STOP', 'MAX_TOKENS', 'SAFETY']).optional(),
      index: z.int().min(0),
    }),
  ),
  usageMetadata: z
    .strictObject({
      promptTokenCount: tokens,
      candidatesTokenCount: tokens.meta({ description: 'Excludes the tokens of thoughts.' }),
      thoughtsTokenCount: tokens.optional(),
      cachedContentTokenCount: tokens.optional(),
      totalTokenCount: tokens,
      estimated: z.literal(true).optional().meta({ description: 'The upstream reported no usage; Callsmith counted.' }),
    })
    .optional(),
  modelVersion: z.string(),
  responseId: z.string().startsWith('gen_'),
});

/** A stream as one array; an error is its last element. */
export const generateResponseList = z.array(z.union([generateResponse, geminiError]));

/** The tokens of a prompt. */
export const geminiTokenCount = z.strictObject({ totalTokens: tokens });

/** A model in Google's form. */
export const geminiModel = z.strictObject({
  name: z.string().startsWith('models/'),
  baseModelId: z.string(),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.int().optional(),
  outputTokenLimit: z.int().optional(),
  supportedGenerationMethods: z.array(z.string()),
});

/** A page of models in Google's form. */
export const geminiModelList = z.strictObject({ models: z.array(geminiModel), nextPageToken: z.string().optional() });
