import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { instant, page, pageOf, range } from '../vocabulary.ts';

/** The newest request that reached an inference route, refused ones included. */
const contact = z.object({ at: instant, client: z.string(), accepted: z.boolean(), say: z.string() });

/** How much of the record is kept, and for how long. */
const recordSettings = z.object({
  cleanShare: z.number(),
  cleanPerMinute: z.number().int(),
  failuresPerMinute: z.number().int(),
  bodyDays: z.number().int(),
  turnDays: z.number().int(),
});

const auditFilter = range.extend({
  targetKind: z.string().max(50).optional(),
  targetId: z.string().max(200).optional(),
  /** A user's e-mail address, or what else made changes, e.g. `admin-key`. */
  actor: z.string().max(320).optional(),
  /** `changes`: of configuration; `reads`: of message content. */
  kind: z.enum(['changes', 'reads']).optional(),
});

export const installation = {
  status: endpoint({
    method: 'GET',
    path: '/api/status',
    access: 'viewer',
    summary: 'Current problems: database, Redis, queue, upstreams.',
    reply: z.object({
      database: z.object({ ok: z.boolean(), since: instant.nullable() }),
      redis: z.object({ ok: z.boolean(), since: instant.nullable() }).nullable(),
      record: z.object({ queued: z.number().int(), lost: z.number().int(), diskFull: z.boolean() }),
      /** e.g. `http://gpu:8000: connection refused, trying again every 10 s`. */
      problems: z.array(z.string()),
    }),
  }),
  checklist: endpoint({
    method: 'GET',
    path: '/api/checklist',
    access: 'viewer',
    summary: 'The setup steps and which are done.',
    reply: z.object({
      upstream: z.boolean(),
      key: z.boolean(),
      request: z.boolean(),
      /** A tool call of an own model was delivered to a client with an own key. */
      call: z.boolean(),
      lastContact: contact.nullable(),
      baseUrl: z.string(),
    }),
  }),
  keepDemoGoing: endpoint({
    method: 'POST',
    path: '/api/demo/turns',
    access: 'admin',
    summary:
      'Sends a demo request every 2 s for at most 15 minutes after the first call. Overview calls it every few seconds while it is open.',
    body: z.object({ on: z.boolean() }),
    reply: z.object({ running: z.boolean(), until: instant.nullable() }),
  }),
  removeDemo: endpoint({
    method: 'DELETE',
    path: '/api/demo',
    access: 'admin',
    summary: 'Removes demo data: requests, key, team, models.',
    reply: z.object({}),
  }),
  settings: endpoint({
    method: 'GET',
    path: '/api/settings',
    access: 'admin',
    summary: 'Sampling and retention.',
    reply: recordSettings,
  }),
  changeSettings: endpoint({
    method: 'PATCH',
    path: '/api/settings',
    access: 'admin',
    summary: 'Changes sampling and retention.',
    body: z.object({
      cleanShare: z.number().min(0).max(1).optional(),
      cleanPerMinute: z.number().int().min(0).max(100_000).optional(),
      failuresPerMinute: z.number().int().min(0).max(100_000).optional(),
      bodyDays: z.number().int().min(1).max(365).optional(),
      turnDays: z.number().int().min(1).max(3650).optional(),
    }),
    reply: recordSettings,
  }),
  audit: endpoint({
    method: 'GET',
    path: '/api/audit',
    access: 'admin',
    summary: 'Every change: who, what, before, after, why.',
    query: page.extend(auditFilter.shape),
    reply: pageOf(
      z.object({
        id: z.string(),
        at: instant,
        actor: z.string(),
        action: z.string(),
        targetKind: z.string(),
        targetId: z.string(),
        /** The target's name; null: it has none, or the name is no longer known. */
        target: z.string().nullable(),
        before: z.unknown(),
        after: z.unknown(),
        reason: z.string().nullable(),
      }),
    ),
  }),
  /** For a plain link; the browser saves it. */
  auditFile: endpoint({
    method: 'GET',
    path: '/api/audit/export',
    access: 'admin',
    summary: 'The filtered audit log as a file, newest first, at most 100,000 entries.',
    query: auditFilter,
    reply: z.string(),
    download: ['text/csv'],
  }),
};
