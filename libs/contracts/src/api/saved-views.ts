import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { filteredColumns } from '../recorded-columns.ts';
import { byId, instant } from '../vocabulary.ts';

/** The screens whose filters can be saved. */
export const viewScreen = z.enum(['failures', 'transcripts']);
export type ViewScreen = z.infer<typeof viewScreen>;

/** The filters of requests, by their names in the dashboard's addresses. */
export const filterNames: readonly string[] = [
  'model',
  'class',
  'outcome',
  'tool',
  'rule',
  'text',
  'argument',
  'shape',
  'group',
  // A column's filter has the name of its facet, which sets it.
  ...filteredColumns.map(({ parameter, facet = parameter }) => facet),
];

const names = ['range', 'from', 'to', 'view', 'state', 'assignee', ...filterNames];

/** The parts of an address in a view: filters, the time range, and the list's display. */
export const viewAddress = z.partialRecord(z.enum(names), z.string().min(1).max(4000));
export type ViewAddress = z.infer<typeof viewAddress>;

const viewName = z.string().trim().min(1).max(80);

export const savedView = z.object({
  id: z.string(),
  screen: viewScreen,
  name: z.string(),
  address: viewAddress,
  /** Its team; null: it is the caller's own. */
  teamId: z.string().nullable(),
  teamName: z.string().nullable(),
  createdAt: instant,
  /** The caller may rename, change and delete it. */
  mayChange: z.boolean(),
  /** The menu opens the screen with it, for the caller. */
  isDefault: z.boolean(),
});
export type SavedView = z.infer<typeof savedView>;

export const savedViews = {
  list: endpoint({
    method: 'GET',
    path: '/api/views',
    access: 'viewer',
    summary: "Saved views: the caller's own and those of the caller's team, for admins of all teams; by name.",
    reply: z.object({ items: z.array(savedView) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/views',
    access: 'viewer',
    summary:
      'Saves a view for the caller or, if the caller is an editor of a team or an admin, for the team (audited).',
    body: z.object({
      screen: viewScreen,
      name: viewName,
      address: viewAddress,
      /** Undefined or null: for the caller only. */
      teamId: z.string().max(100).nullish(),
    }),
    reply: savedView,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/views/:id',
    access: 'viewer',
    summary:
      "Renames a view, replaces its filters, or makes it the caller's default on its screen. Viewers can only make a team's view their default.",
    params: byId,
    body: z.object({
      name: viewName.optional(),
      address: viewAddress.optional(),
      isDefault: z.boolean().optional(),
    }),
    reply: savedView,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/views/:id',
    access: 'viewer',
    summary: "Deletes a view: the caller's own or, for editors of its team and admins, a team's (audited).",
    params: byId,
    reply: z.object({}),
  }),
};
