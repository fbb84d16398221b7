import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, exportFormat, instant } from '../vocabulary.ts';
import { turnFilter } from './turns.ts';

/** A file of turns that a job prepares. */
export const turnExport = z.object({
  id: z.string(),
  format: exportFormat,
  state: z.enum(['waiting', 'running', 'ready', 'failed']),
  /** Turns in it so far. */
  turns: z.number().int(),
  /** False: there were more turns than a file may have; it has the newest. */
  whole: z.boolean(),
  from: instant,
  to: instant,
  createdAt: instant,
  /** When it is deleted. */
  expiresAt: instant,
});
export type TurnExport = z.infer<typeof turnExport>;

export const exports = {
  list: endpoint({
    method: 'GET',
    path: '/api/exports',
    access: 'viewer',
    summary: 'Export files that the caller has requested, newest first.',
    reply: z.object({ items: z.array(turnExport) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/exports',
    access: 'viewer',
    summary:
      'Starts an export of the filtered requests, newest first, at most 5,000,000, without bodies; kept for one day.',
    body: turnFilter.extend({ format: exportFormat.default('csv') }),
    reply: turnExport,
  }),
  /** For a plain link; the browser saves it. */
  file: endpoint({
    method: 'GET',
    path: '/api/exports/:id/file',
    access: 'viewer',
    summary: 'The file, for the user who requested it.',
    params: byId,
    reply: z.string(),
    download: ['text/csv', 'application/json'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/exports/:id',
    access: 'viewer',
    summary: 'Deletes the file, or cancels its preparation.',
    params: byId,
    reply: z.object({}),
  }),
};
