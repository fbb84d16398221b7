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

/** UTF-16 offsets in that choice's raw text, or in a native call's arguments; empty where something was missing. */
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
  /** Null: not kept, or gone by the retention clock. */
  body: z
    .object({
      clientRequest: z.string().nullable(),
      upstreamRequest: z.string().nullable(),
      raw: z.array(rawChoice),
      delivered: z.unknown(),
      /** All tries at the answer, where it was asked for again. What was sent for the delivered one, and what came, stands above. */
      tries: z
        .array(
          z.object({
            delivered: z.boolean(),
            classes: z.array(findingClass),
            /** What its model was told of the answer before, behind that answer. */
            messages: z.array(z.unknown()),
            upstreamRequest: z.string().nullable(),
            raw: z.array(rawChoice),
          }),
        )
        .nullable(),
      /** What was said and run in each round of agent mode. */
      rounds: z
        .array(
          z.object({
            text: z.string(),
            inputTokens: z.number().nullable(),
            outputTokens: z.number().nullable(),
            tookMs: z.number(),
            runs: z.array(
              z.object({
                /** The MCP server; null: it called a tool that there is not. */
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
      /** What was done for the answer, in the order in which it was begun; null: nothing, or it was recorded before 0.2. */
      timeline: z
        .array(
          z.object({
            kind: z.enum(['attempt', 'correction', 'delegation', 'tool']),
            /** The upstream or the MCP server; null: a tool was called that there is not. */
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

/** Filters shared by lists, clusters and exports; beside those of columns, what needs a condition of its own. */
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
   * Words of the user, of the answer or of its calls, of requests whose bodies are kept; for editors. All of them, in any
   * order; those in quotes or without a space between them side by side, and the last of these may go on.
   */
  text: z.string().max(200).optional(),
  /** The path of an argument of one of its calls, e.g. `edits.path`, of requests whose bodies are kept; for editors. */
  argument: z.string().max(200).optional(),
  /** A group of failures: `group` of a row of `/api/failures/clusters`. */
  group: z.string().max(4000).optional(),
  /** `true`: only failed, invalid or repaired turns and errors. */
  failures: z.enum(['true', 'false']).optional(),
});

/** `regressed`: it was resolved and failed again since. */
const workState = z.enum(['open', 'regressed', 'resolved', 'muted']);

/** What was decided about a group of failures, in the list of one team or in that of all. */
const groupWork = z.object({
  state: workState,
  resolvedAt: instant.nullable(),
  /** Null: it is not muted, or for good. */
  mutedUntil: instant.nullable(),
  /** Who looks into it. */
  assignee: z.object({ id: z.string(), email: z.string() }).nullable(),
  note: z.string().nullable(),
  /** The change of the model that was to fix it. */
  fixId: z.string().nullable(),
});
export type GroupWork = z.infer<typeof groupWork>;

/** Which groups of failures are listed: those to work on (`open`, with those that came back), or new ones among them. */
export const workFilter = z.object({
  state: z.enum(['open', 'new', 'resolved', 'muted']).optional(),
  /** Only those that the caller looks into. */
  assignee: z.literal('me').optional(),
});
export type WorkFilter = z.infer<typeof workFilter>;

/** How many of a group's requests have a value, and since when. */
const seen = z.object({ value: z.string(), count: z.number().int(), firstAt: instant, lastAt: instant });

const groupStory = z.object({
  count: z.number().int(),
  /** So many requests were looked at, the newest, and there are older ones; null: all were. */
  newest: z.number().int().nullable(),
  firstAt: instant.nullable(),
  lastAt: instant.nullable(),
  /** The most first. */
  engines: z.array(seen),
  clients: z.array(seen),
  /** Tools that its requests called. */
  tools: z.array(seen),
  /** Requests by day (UTC), the oldest first. */
  days: z.array(z.object({ at: instant, count: z.number().int() })),
  work: groupWork,
  /** Changes of its model since shortly before it was first seen, newest first. */
  changes: z.array(z.object({ id: z.string(), at: instant, what: z.string() })),
  /** Who may be assigned; empty for viewers. */
  people: z.array(z.object({ id: z.string(), email: z.string() })),
});
export type GroupHistory = z.infer<typeof groupStory>;

const oneGroup = z.object({
  group: turnFilter.shape.group.unwrap(),
  /** The list that it stands in; absent: that of the caller's team, for admins that of all teams. */
  teamId: z.string().max(100).optional(),
});

export const cluster = z.object({
  /** What to filter by for just these requests. */
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
  /** What changed within ten minutes of the first. */
  changes: z.array(z.object({ at: instant, what: z.string() })),
});
export type Cluster = z.infer<typeof cluster>;

/** How many of the filtered turns have which value. */
export const facetCounts = z.object({
  /** Turns that fit. */
  total: z.number().int(),
  /** So many turns were looked at, the newest, and older ones are not counted; null: all were. */
  newest: z.number().int().nullable(),
  facets: z.array(
    z.object({
      name: facetName,
      /** The most first; a facet's own filter does not narrow them. */
      values: z.array(
        z.object({
          /** What to filter by. */
          value: z.string(),
          /** What to call it. */
          label: z.string(),
          count: z.number().int(),
        }),
      ),
      /** How many more values there are. */
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
    summary: 'Requests, newest first, without bodies.',
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
      /** So many failures were looked at, the newest, and there are older ones; null: all were. */
      newest: z.number().int().nullable(),
      /** When the caller last visited the failures, before now; null: never, or it is no user. */
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
      /** `until` null: for good; null: no longer. */
      muted: z.object({ until: instant.nullable() }).nullable().optional(),
      assigneeId: z.string().max(100).nullable().optional(),
      note: z.string().trim().max(2000).nullable().optional(),
      /** The ID of one of the story's changes. */
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
