import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId } from '../vocabulary.ts';

/** What follows the prefix of a custom pattern. */
export const follows = z.enum(['nothing', 'digits', 'hex', 'letters-digits', 'token', 'visible']);
export type Follows = z.infer<typeof follows>;

const fields = z
  .object({
    name: z.string().trim().min(1, 'is required').max(60),
    /** Printable ASCII; stored requests are JSON, where quotes and backslashes are escaped. */
    begins: z
      .string()
      .max(40, 'must have at most 40 characters')
      .regex(/^[ !#-[\]-~]*$/, 'must be printable ASCII without the quotation mark " and the backslash')
      .refine((text) => text.replaceAll(' ', '').length >= 3, 'must have at least 3 characters besides spaces'),
    follows,
    /** Ignored if nothing follows. */
    atLeast: z.number().int().min(0).max(200),
  })
  .strict()
  .refine(({ follows, atLeast }) => follows === 'nothing' || atLeast > 0, {
    path: ['atLeast'],
    message: 'must be at least 1',
  });

/** A form of secret that is masked in addition to the built-in ones. */
export const pattern = z.object({
  /** `mask_…`. */
  id: z.string(),
  name: z.string(),
  begins: z.string(),
  follows,
  atLeast: z.number().int(),
});
export type Pattern = z.infer<typeof pattern>;

export const redaction = {
  show: endpoint({
    method: 'GET',
    path: '/api/redaction',
    access: 'admin',
    summary: 'What is masked in all recorded data: built-in secret patterns and custom ones.',
    reply: z.object({
      /** In words. */
      builtIn: z.array(z.string()),
      own: z.array(pattern),
      /** Maximum number of custom patterns. */
      most: z.number().int(),
    }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/redaction',
    access: 'admin',
    summary: 'Adds a custom pattern; new data is masked by it on every gateway within 5 s.',
    body: fields,
    reply: pattern,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/redaction/:id',
    access: 'admin',
    summary: 'Removes a custom pattern; text that it masked stays masked.',
    params: byId,
    reply: z.object({}),
  }),
  try: endpoint({
    method: 'POST',
    path: '/api/redaction/try',
    access: 'admin',
    summary: 'Masks a text as it would be stored, with one more pattern if given. The text is not stored.',
    body: z.object({ text: z.string().max(10_000), pattern: fields.optional() }),
    reply: z.object({ masked: z.string() }),
  }),
};
