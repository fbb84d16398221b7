import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { instant, role } from '../vocabulary.ts';
import { viewAddress, viewScreen } from './saved-views.ts';

/** Who is signed in, and facts about the installation that the screens need. */
export const me = z.object({
  user: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    role,
    teamId: z.string().nullable(),
  }),
  /** The views with which the menu opens screens. */
  defaultViews: z.partialRecord(viewScreen, viewAddress),
  installation: z.object({
    version: z.string(),
    /** The base URL for users, e.g. `http://127.0.0.1:4000`. */
    publicUrl: z.string(),
    /** The demo's data exists and can be removed, also if its models are no longer listed. */
    demo: z.boolean(),
    /** Demo models are listed, and no other model was used yet. */
    demoOnly: z.boolean(),
    /** How long bodies of turns are kept, in days. */
    bodyRetentionDays: z.number().int(),
    /** ISO 4217, of prices and budgets. */
    currency: z.string(),
  }),
});
export type Me = z.infer<typeof me>;

/** The purpose of a one-time link; `key`: it hands one over; `connect`: it opens the page of a key's owner. */
const linkKind = z.enum(['sign-in', 'invite', 'reset-password', 'key', 'connect']);
export type LinkKind = z.infer<typeof linkKind>;

const password = z.string().min(10).max(200);

export const session = {
  show: endpoint({ method: 'GET', path: '/api/session', access: 'viewer', summary: 'Who is signed in.', reply: me }),
  ways: endpoint({
    method: 'GET',
    path: '/api/session/ways',
    access: 'anyone',
    summary: 'Ways to sign in besides e-mail and password.',
    reply: z.object({
      /** Where to redirect the browser to sign in at the OpenID Connect provider; null: there is none. */
      oidc: z.object({ url: z.string(), issuer: z.string() }).nullable(),
    }),
  }),
  signInByOidc: endpoint({
    method: 'GET',
    path: '/api/oidc/start',
    access: 'anyone',
    summary: 'Sends the browser to the OpenID Connect provider.',
    redirects: true,
    reply: z.object({ url: z.string() }),
  }),
  backFromOidc: endpoint({
    method: 'GET',
    path: '/api/oidc/callback',
    access: 'anyone',
    summary: 'Where the OpenID Connect provider sends the browser back to; signs in.',
    redirects: true,
    reply: z.object({ url: z.string() }),
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/api/session',
    access: 'anyone',
    summary: 'Signs in with e-mail and password; sets the session cookie.',
    body: z.object({ email: z.string().min(3).max(320), password: z.string().min(1).max(200) }),
    reply: me,
  }),
  signOut: endpoint({
    method: 'DELETE',
    path: '/api/session',
    access: 'anyone',
    summary: 'Signs out.',
    reply: z.object({}),
  }),
  /** Checks a one-time link without using it up. */
  link: endpoint({
    method: 'POST',
    path: '/api/links/look',
    access: 'anyone',
    summary: 'Describes a one-time link without using it.',
    body: z.object({ token: z.string().min(16).max(200) }),
    reply: z.object({
      kind: linkKind,
      email: z.string().nullable(),
      expiresAt: instant,
    }),
  }),
  /** Uses up a link of kind sign-in, invite or reset-password. */
  useLink: endpoint({
    method: 'POST',
    path: '/api/links/use',
    access: 'anyone',
    summary: 'Uses a one-time link: signs in; with a password, sets it (needed for invite and reset-password).',
    body: z.object({ token: z.string().min(16).max(200), password: password.optional() }),
    reply: me,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/session/password',
    access: 'viewer',
    summary: 'Changes your own password; other sessions end.',
    body: z.object({ current: z.string().max(200), password }),
    reply: z.object({}),
  }),
};
