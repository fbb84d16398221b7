import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { columnFields, columnFilters, facetName } from '../recorded-columns.ts';
import {
  byId,
  callOutcome,
  exportFormat,
  findingClass,
  findingClassFilter,
  instant,
  outcomeFilter,
  page,
  pageOf,
  range,
} from '../vocabulary.ts';

/** A request as lists show it. */
export const turn = z.object(columnFields);
export type TurnRow = z.infer<typeof turn>;

export const call = z.object({
  n: z.number().int(),
  tool: z.string(),
  outcome: callOutcome,
  classes: z.array(findingClass),
  rules: z.array(z.string()),
  action: z.string().nullable(),
  bytes: z.number().int(),
  shape: z.string().nullable(),
});

/** UTF-16 offsets in that choice's raw text, or in a native call's arguments; empty if something was missing. */
const note = z.object({
  choice: z.number().optional(),
  class: findingClassFilter.optional(),
  rule: z.string().optional(),
  action: z.string().optional(),
  stage: z.string(),
  guess: z.boolean().optional(),
  call: z.number().optional(),
  tool: z.string().optional(),
  range: z.tuple([z.number(), z.number()]).optional(),
  detail: z.string().optional(),
});

const rawChoice = z.object({
  choice: z.number(),
  text: z.string(),
  reasoning: z.string(),
  cuts: z.array(z.number()),
  fragments: z.array(z.unknown()),
});

/** The four lanes of one turn. */
export const turnDetail = z.object({
  turn,
  callList: z.array(call),
  /** Null: not stored, or deleted after the retention period. */
  body: z
    .object({
      clientRequest: z.string().nullable(),
      upstreamRequest: z.string().nullable(),
      raw: z.array(rawChoice),
      delivered: z.unknown(),
      /** All attempts, if the response was corrected. The delivered one's request and response are above. */
      tries: z
        .array(
          z.object({
            delivered: z.boolean(),
            classes: z.array(findingClass),
            /** The correction message to the model, appended to the previous response. */
            messages: z.array(z.unknown()),
            upstreamRequest: z.string().nullable(),
            raw: z.array(rawChoice),
          }),
        )
        .nullable(),
      /** The content and calls of each round in agent mode. */
      rounds: z
        .array(
          z.object({
            text: z.string(),
            inputTokens: z.number().nullable(),
            outputTokens: z.number().nullable(),
            tookMs: z.number(),
            runs: z.array(
              z.object({
                /** The MCP server; null: the tool does not exist. */
                server: z.string().nullable(),
                tool: z.string(),
                arguments: z.string(),
                result: z.string(),
                failed: z.boolean(),
                tookMs: z.number(),
              }),
            ),
          }),
        )
        .nullable(),
      /** The steps of the request, in order of their start; null: none, or recorded before 0.2. */
      timeline: z
        .array(
          z.object({
            kind: z.enum(['attempt', 'correction', 'delegation', 'tool']),
            /** The upstream or the MCP server; null: the called tool does not exist. */
            server: z.string().nullable(),
            /** The model's name there, or the tool's. */
            name: z.string(),
            startMs: z.number(),
            firstByteMs: z.number().nullable(),
            endMs: z.number(),
            problem: z.string().nullable(),
          }),
        )
        .nullable(),
      notes: z.array(note),
      settings: z.unknown(),
    })
    .nullable(),
  /** Why there is no body, in one sentence. */
  bodyMissing: z.string().nullable(),
});
export type TurnDetail = z.infer<typeof turnDetail>;

const { strategy, client, ...otherColumns } = columnFilters;

/** Filters shared by lists, clusters and exports, in addition to those of columns. */
export const turnFilter = range.extend({
  model: z.string().max(500).optional(),
  strategy,
  class: findingClassFilter.optional(),
  outcome: outcomeFilter.optional(),
  tool: z.string().max(200).optional(),
  client,
  ...otherColumns,
  shape: z.string().max(100).optional(),
  /** A rule that repaired one of the request's calls. */
  rule: z.string().max(100).optional(),
  /**
   * Words of the user, of the response or of its calls, in requests with stored bodies; for editors. All must occur, in
   * any order; those in quotes or without a space between them must be adjacent, and the last of these may be a prefix.
   */
  text: z.string().max(200).optional(),
  /** The path of an argument of one of its calls, e.g. `edits.path`, in requests with stored bodies; for editors. */
  argument: z.string().max(200).optional(),
  /** A group of failures: `group` of a row of `/api/failures/clusters`. */
  group: z.string().max(4000).optional(),
  /** `true`: only failed, invalid or repaired turns and errors. */
  failures: z.enum(['true', 'false']).optional(),
});

/** `regressed`: it was resolved and failed again. */
const workState = z.enum(['open', 'regressed', 'resolved', 'muted']);

/** The state of a group of failures, in the list of one team or in that of all. */
const groupWork = z.object({
  state: workState,
  resolvedAt: instant.nullable(),
  /** Null: not muted, or muted forever. */
  mutedUntil: instant.nullable(),
  /** The assignee. */
  assignee: z.object({ id: z.string(), email: z.string() }).nullable(),
  note: z.string().nullable(),
  /** The change of the model that should fix it. */
  fixId: z.string().nullable(),
});
export type GroupWork = z.infer<typeof groupWork>;

/** Which groups of failures are listed: open ones (`open`, including regressed ones), or new ones among them. */
export const workFilter = z.object({
  state: z.enum(['open', 'new', 'resolved', 'muted']).optional(),
  /** Only those assigned to the caller. */
  assignee: z.literal('me').optional(),
});
export type WorkFilter = z.infer<typeof workFilter>;

/** How many of a group's requests have a value, and since when. */
const seen = z.object({ value: z.string(), count: z.number().int(), firstAt: instant, lastAt: instant });

const groupStory = z.object({
  count: z.number().int(),
  /** Only this many requests, the newest, were examined, and there are older ones; null: all were. */
  newest: z.number().int().nullable(),
  firstAt: instant.nullable(),
  lastAt: instant.nullable(),
  /** The most frequent first. */
  engines: z.array(seen),
  clients: z.array(seen),
  /** Tools that its requests called. */
  tools: z.array(seen),
  /** Requests by day (UTC), the oldest first. */
  days: z.array(z.object({ at: instant, count: z.number().int() })),
  work: groupWork,
  /** Changes of its model from shortly before it was first seen, newest first. */
  changes: z.array(z.object({ id: z.string(), at: instant, what: z.string() })),
  /** Who may be assigned; empty for viewers. */
  people: z.array(z.object({ id: z.string(), email: z.string() })),
});
export type GroupHistory = z.infer<typeof groupStory>;

const oneGroup = z.object({
  group: turnFilter.shape.group.unwrap(),
  /** The list that it belongs to; undefined: that of the caller's team, for admins that of all teams. */
  teamId: z.string().max(100).optional(),
});

export const cluster = z.object({
  /** The filter for exactly these requests. */
  group: z.string(),
  model: z.string(),
  modelId: z.string().nullable(),
  strategyUsed: z.string().nullable(),
  class: findingClass.nullable(),
  tool: z.string().nullable(),
  shape: z.string().nullable(),
  /** For turns that failed before any call, e.g. `upstream_timeout`. */
  errorCode: z.string().nullable(),
  count: z.number().int(),
  firstAt: instant,
  lastAt: instant,
  clients: z.array(z.string()),
  newestTurn: z.string(),
  work: groupWork,
  /** It was not seen in the seven days before the caller's last visit. */
  isNew: z.boolean(),
  /** Changes within ten minutes of the first one. */
  changes: z.array(z.object({ at: instant, what: z.string() })),
});
export type Cluster = z.infer<typeof cluster>;

/** The number of filtered turns with each value. */
export const facetCounts = z.object({
  /** Matching turns. */
  total: z.number().int(),
  /** Only this many turns, the newest, were examined, and older ones are not counted; null: all were. */
  newest: z.number().int().nullable(),
  facets: z.array(
    z.object({
      name: facetName,
      /** The most frequent first; a facet's own selection does not filter it. */
      values: z.array(
        z.object({
          /** The filter's value. */
          value: z.string(),
          /** Its label. */
          label: z.string(),
          count: z.number().int(),
        }),
      ),
      /** The number of further values. */
      more: z.number().int(),
    }),
  ),
});
export type FacetCounts = z.infer<typeof facetCounts>;

export const turns = {
  list: endpoint({
    method: 'GET',
    path: '/api/turns',
    access: 'viewer',
    summary:
      'Requests, newest first, without bodies. A page of a search for text or an argument looks only so far back: it may have fewer items than the limit, or none, and yet a next page.',
    query: page.extend(turnFilter.shape),
    reply: pageOf(turn),
  }),
  facets: endpoint({
    method: 'GET',
    path: '/api/turns/facets',
    access: 'viewer',
    summary:
      'Counts of the filtered requests by outcome, class, model, strategy, client, key, team, HTTP status, error code, tool, repair rule, corrected, engine version and streamed.',
    query: turnFilter,
    reply: facetCounts,
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/turns/:id',
    access: 'viewer',
    summary: 'One request with its calls; bodies for editors of its team and admins (audited).',
    params: byId,
    reply: turnDetail,
  }),
  clusters: endpoint({
    method: 'GET',
    path: '/api/failures/clusters',
    access: 'viewer',
    summary: 'Failures in groups, those with the most first. A cursor keeps the time range of the first page.',
    query: turnFilter.extend({
      ...workFilter.shape,
      cursor: page.shape.cursor,
      limit: page.shape.limit.default(200),
    }),
    reply: pageOf(cluster).extend({
      groups: z.number().int(),
      /** Failed, invalid and repaired requests and errors in all groups. */
      total: z.number().int(),
      /** Only this many failures, the newest, were examined, and there are older ones; null: all were. */
      newest: z.number().int().nullable(),
      /** The caller's previous visit to the failures; null: none, or the caller is no user. */
      lastVisit: instant.nullable(),
    }),
  }),
  story: endpoint({
    method: 'GET',
    path: '/api/failures/story',
    access: 'viewer',
    summary: 'A group of failures: summary of its recorded requests of the last 90 days, and its triage state.',
    query: oneGroup,
    reply: groupStory,
  }),
  work: endpoint({
    method: 'PUT',
    path: '/api/failures/work',
    access: 'editor',
    summary:
      'Resolves, mutes, assigns or notes a group of failures, or links its fix (audited); absent fields stay unchanged.',
    body: oneGroup.extend({
      resolved: z.boolean().optional(),
      /** `until` null: forever; null: no longer. */
      muted: z.object({ until: instant.nullable() }).nullable().optional(),
      assigneeId: z.string().max(100).nullable().optional(),
      note: z.string().trim().max(2000).nullable().optional(),
      /** The ID of one of the changes in its history. */
      fixId: z.string().max(100).nullable().optional(),
    }),
    reply: groupWork,
  }),
  /** For a plain link; the browser saves it. */
  export: endpoint({
    method: 'GET',
    path: '/api/turns/export',
    access: 'viewer',
    summary: 'The filtered requests as a file, newest first, at most 100,000, without bodies.',
    query: turnFilter.extend({ format: exportFormat.default('csv') }),
    reply: z.string(),
    download: ['text/csv', 'application/json'],
  }),
  failures: endpoint({
    method: 'GET',
    path: '/api/failures',
    access: 'viewer',
    summary: 'Failed, invalid and repaired requests and errors, newest first.',
    query: page.extend(turnFilter.shape),
    reply: pageOf(turn),
  }),
};
