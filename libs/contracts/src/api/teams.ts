import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, instant, managedBy, role } from '../vocabulary.ts';

export const team = z.object({
  id: z.string(),
  name: z.string(),
  storesBodies: z.boolean(),
  demo: z.boolean(),
  createdAt: instant,
  keys: z.number().int(),
  managedBy,
});
export type Team = z.infer<typeof team>;

export const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  role,
  teamId: z.string().nullable(),
  createdAt: instant,
  disabledAt: instant.nullable(),
  /** False: invited, no password yet. */
  active: z.boolean(),
});
export type User = z.infer<typeof user>;

const name = z.string().trim().min(1).max(100);

/** The fields of a new team. */
export const newTeam = z.object({ name, storesBodies: z.boolean().default(true) });

export const teams = {
  list: endpoint({
    method: 'GET',
    path: '/api/teams',
    access: 'viewer',
    summary: 'Teams; users other than admins see only their own.',
    reply: z.object({ items: z.array(team) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/teams',
    access: 'admin',
    summary: 'Adds a team.',
    body: newTeam,
    reply: team,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/teams/:id',
    access: 'admin',
    summary: 'Renames a team, or changes whether bodies of its requests are stored.',
    params: byId,
    body: z.object({ name: name.optional(), storesBodies: z.boolean().optional() }),
    reply: team,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/teams/:id',
    access: 'admin',
    summary: 'Deletes a team without users and active keys; its requests stay.',
    params: byId,
    reply: z.object({}),
  }),
};

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/api/users',
    access: 'admin',
    summary: 'Users.',
    reply: z.object({ items: z.array(user) }),
  }),
  invite: endpoint({
    method: 'POST',
    path: '/api/users',
    access: 'admin',
    summary: 'Invites a user by a one-time link (72 h).',
    body: z.object({
      email: z.email().max(320),
      name: z.string().max(200).nullable().default(null),
      role,
      teamId: z.string().nullable().default(null),
    }),
    reply: z.object({ user, link: z.string() }),
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/users/:id',
    access: 'admin',
    summary: "Changes a user's role or team, or disables the user.",
    params: byId,
    body: z.object({
      role: role.optional(),
      teamId: z.string().nullable().optional(),
      disabled: z.boolean().optional(),
    }),
    reply: user,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/users/:id',
    access: 'admin',
    summary: 'Deletes a user with their sessions, links and own views; the audit log still names them.',
    params: byId,
    reply: z.object({}),
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/users/:id/reset-password',
    access: 'admin',
    summary: 'Creates a one-time link (72 h) to set a new password.',
    params: byId,
    reply: z.object({ link: z.string() }),
  }),
};
