// Made from the contract by tools/gen-openapi.ts. Do not edit.
import type { api } from './api/index.ts';
import type { Routes } from './client.ts';

/** Where each endpoint of the admin API is: what a browser loads instead of the whole contract. */
export const routes = {
  session: {
    show: 'GET /api/session',
    ways: 'GET /api/session/ways',
    signInByOidc: 'GET /api/oidc/start',
    backFromOidc: 'GET /api/oidc/callback',
    signIn: 'POST /api/session',
    signOut: 'DELETE /api/session',
    link: 'POST /api/links/look',
    useLink: 'POST /api/links/use',
    changePassword: 'POST /api/session/password',
  },
  keys: {
    list: 'GET /api/keys',
    issue: 'POST /api/keys',
    issueMany: 'POST /api/keys/batch',
    change: 'PATCH /api/keys/:id',
    rotate: 'POST /api/keys/:id/rotate',
    revoke: 'DELETE /api/keys/:id',
    fetchByLink: 'POST /api/links/key',
  },
  teams: {
    list: 'GET /api/teams',
    create: 'POST /api/teams',
    change: 'PATCH /api/teams/:id',
  },
  users: {
    list: 'GET /api/users',
    invite: 'POST /api/users',
    change: 'PATCH /api/users/:id',
    resetPassword: 'POST /api/users/:id/reset-password',
  },
  upstreams: {
    list: 'GET /api/upstreams',
    create: 'POST /api/upstreams',
    change: 'PATCH /api/upstreams/:id',
    remove: 'DELETE /api/upstreams/:id',
    test: 'POST /api/upstreams/test',
    discover: 'POST /api/upstreams/:id/discover',
    health: 'GET /api/upstreams/:id/health',
  },
  models: {
    list: 'GET /api/models',
    show: 'GET /api/models/:id',
    create: 'POST /api/models',
    remove: 'DELETE /api/models/:id',
    change: 'PATCH /api/models/:id',
    forget: 'DELETE /api/models/:id/learned',
    changes: 'GET /api/models/:id/changes',
    evidence: 'GET /api/models/:id/evidence',
    dialects: 'GET /api/dialects',
  },
  trials: {
    start: 'POST /api/models/:id/trials',
    show: 'GET /api/trials/:id',
    cancel: 'POST /api/trials/:id/cancel',
  },
  turns: {
    list: 'GET /api/turns',
    facets: 'GET /api/turns/facets',
    show: 'GET /api/turns/:id',
    clusters: 'GET /api/failures/clusters',
    export: 'GET /api/turns/export',
    failures: 'GET /api/failures',
  },
  replays: {
    read: 'POST /api/turns/replay',
  },
  exports: {
    list: 'GET /api/exports',
    create: 'POST /api/exports',
    file: 'GET /api/exports/:id/file',
    remove: 'DELETE /api/exports/:id',
  },
  stats: {
    overview: 'GET /api/stats/overview',
    usage: 'GET /api/stats/usage',
    usageOverTime: 'GET /api/stats/usage/over-time',
    usageFile: 'GET /api/stats/usage/export',
  },
  webhooks: {
    list: 'GET /api/webhooks',
    create: 'POST /api/webhooks',
    change: 'PATCH /api/webhooks/:id',
    remove: 'DELETE /api/webhooks/:id',
    test: 'POST /api/webhooks/:id/test',
  },
  redaction: {
    show: 'GET /api/redaction',
    add: 'POST /api/redaction',
    remove: 'DELETE /api/redaction/:id',
    try: 'POST /api/redaction/try',
  },
  installation: {
    status: 'GET /api/status',
    checklist: 'GET /api/checklist',
    keepDemoGoing: 'POST /api/demo/turns',
    removeDemo: 'DELETE /api/demo',
    settings: 'GET /api/settings',
    changeSettings: 'PATCH /api/settings',
    audit: 'GET /api/audit',
  },
} as const satisfies Routes<typeof api>;
