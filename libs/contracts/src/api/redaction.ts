import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId } from '../words.ts';

/** What stands behind the beginning of an own pattern. */
export const follows = z.enum(['nothing', 'digits', 'hex', 'letters-digits', 'token', 'visible']);

const fields = z
  .object({
    name: z.string().trim().min(1, 'is required').max(60),
    /** Printable ASCII; stored requests are JSON, where quotes and backslashes are written otherwise. */
    begins: z
      .string()
      .max(40, 'has at most 40 characters')
      .regex(/^[ !#-[\]-~]*$/, 'takes letters, digits and signs of ASCII, but no quotation mark " and no backslash')
      .refine((text) => text.replaceAll(' ', '').length >= 3, 'needs at least 3 characters beside spaces'),
    follows,
    /** Meaningless where nothing follows. */
    atLeast: z.number().int().min(0).max(200),
  })
  .strict()
  .refine(({ follows, atLeast }) => follows === 'nothing' || atLeast > 0, {
    path: ['atLeast'],
    message: 'is at least 1 where something follows',
  });

/** A form of secret that is masked beside the built-in ones. */
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
    say: 'What is masked in all that is kept of requests: built-in forms of secrets, and own patterns.',
    reply: z.object({
      /** In words. */
      builtIn: z.array(z.string()),
      own: z.array(pattern),
      /** So many own ones are taken. */
      most: z.number().int(),
    }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/redaction',
    access: 'admin',
    say: 'Adds an own pattern; what is kept from then on is masked by it, on every gateway within 5 s.',
    body: fields,
    reply: pattern,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/redaction/:id',
    access: 'admin',
    say: 'Removes an own pattern; what it masked stays masked.',
    params: byId,
    reply: z.object({}),
  }),
  try: endpoint({
    method: 'POST',
    path: '/api/redaction/try',
    access: 'admin',
    say: 'Masks a text as it would be kept, with one more pattern if given. Nothing of it is kept.',
    body: z.object({ text: z.string().max(10_000), pattern: fields.optional() }),
    reply: z.object({ masked: z.string() }),
  }),
};
