import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { foreignSecret, holder, newKey, sha256 } from './keys.ts';
import { mcpAuthProblem, newMcpServer } from './mcp-servers.ts';
import { modelChange, modelName } from './models.ts';
import { newTeam } from './teams.ts';
import { newUpstream } from './upstreams.ts';
import { webhookFields } from './webhooks.ts';

const name = z.string().trim().min(1).max(100);

const model = modelChange.omit({ reason: true, routes: true }).extend({
  name: modelName,
  /** Its routes, in order of preference. */
  routes: z
    .array(
      z.strictObject({
        upstream: name,
        /** Undefined: the model's own name. */
        upstreamModel: modelName.optional(),
        weight: z.number().int().min(0).max(1000).default(1),
      }),
    )
    .min(1)
    .max(50),
});

const key = newKey
  .omit({ teamId: true, holder: true })
  .extend({ owner: holder, team: name.default('default'), secret: foreignSecret.optional(), sha256: sha256.optional() })
  .strict()
  .refine((entry) => (entry.secret === undefined) !== (entry.sha256 === undefined), {
    path: ['secret'],
    message: 'is required unless sha256 is given; do not give both',
  });

const mcpServer = newMcpServer
  .extend({ enabled: z.boolean().default(true) })
  .strict()
  .superRefine(({ credential, ...given }, context) => {
    const problem = mcpAuthProblem({ ...given, hasCredential: Boolean(credential) });
    if (problem) context.addIssue({ code: 'custom', path: [problem.path], message: problem.message });
  });

/** A rule that no two entries of a list may share a value. */
const once = (entries: readonly Record<string, unknown>[], field: string, context: z.RefinementCtx): void =>
  entries.forEach((entry, at) => {
    if (entry[field] !== undefined && entries.findIndex((other) => other[field] === entry[field]) !== at)
      context.addIssue({ code: 'custom', path: [at, field], message: 'must not occur twice' });
  });

/** A configuration file with its references resolved. An omitted field has its default, a missing entry is disabled. */
export const configFile = z.strictObject({
  version: z.literal(1),
  teams: z
    .array(newTeam.strict())
    .max(1000)
    .superRefine((all, context) => once(all, 'name', context))
    .default([]),
  upstreams: z
    .array(newUpstream.extend({ enabled: z.boolean().default(true) }).strict())
    .max(1000)
    .superRefine((all, context) => once(all, 'name', context))
    .default([]),
  models: z
    .array(model)
    .max(5000)
    .superRefine((all, context) => once(all, 'name', context))
    .default([]),
  keys: z
    .array(key)
    .max(50_000)
    .superRefine((all, context) => {
      once(all, 'secret', context);
      once(all, 'sha256', context);
    })
    .default([]),
  alerts: z
    .array(
      z.strictObject({
        ...webhookFields,
        enabled: webhookFields.enabled.default(true),
        format: webhookFields.format.default('standard'),
        scope: webhookFields.scope.prefault({}),
        quietHours: webhookFields.quietHours.default(null),
        timeZone: webhookFields.timeZone.default('UTC'),
        weeklyDigest: webhookFields.weeklyDigest.default(false),
      }),
    )
    .max(1000)
    .superRefine((all, context) => once(all, 'name', context))
    .default([]),
  mcpServers: z
    .array(mcpServer)
    .max(1000)
    .superRefine((all, context) => once(all, 'name', context))
    .default([]),
});
export type ConfigFile = z.output<typeof configFile>;
export type ConfigSection = Exclude<keyof ConfigFile, 'version'>;

/** A change that applying a file makes to one entry. Values of secrets are masked. */
export const configDifference = z.object({
  section: z.enum(['teams', 'upstreams', 'models', 'keys', 'alerts', 'mcpServers']),
  name: z.string(),
  /** `manage`: it matches the file already, and becomes read-only; `release`: it becomes editable by hand again. */
  action: z.enum(['create', 'change', 'manage', 'disable', 'delete', 'release']),
  fields: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })),
});
export type ConfigDifference = z.infer<typeof configDifference>;

export const config = {
  /** For a plain link; the browser saves it. */
  file: endpoint({
    method: 'GET',
    path: '/api/config',
    access: 'admin',
    summary:
      'Teams, upstreams, models, keys, alerts and MCP servers as a configuration file; secrets are replaced by references to environment variables.',
    reply: z.string(),
    download: ['application/yaml'],
  }),
  apply: endpoint({
    method: 'POST',
    path: '/api/config',
    access: 'admin',
    summary:
      'Applies a configuration file whose references are already resolved, or, with `dryRun`, lists what it would change. Entries that were removed from the file are disabled, or deleted with `prune`.',
    body: z.object({ config: configFile, prune: z.boolean().default(false), dryRun: z.boolean().default(false) }),
    reply: z.object({ differences: z.array(configDifference) }),
  }),
};
