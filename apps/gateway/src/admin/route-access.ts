/** Who may call a route: the lowest role, or the required secret. */
export type RouteFor = 'anyone' | 'key-owner' | 'viewer' | 'editor' | 'admin' | 'inference' | 'admin-key' | 'metrics';

/**
 * Security 1: every route of the gateway and who may call it, maintained by hand. A route that is missing here fails
 * the test route-walk.test.ts, and so does a row without a route. `ANY`: every method.
 */
export const routeAccess = `
GET    /healthz                          anyone
GET    /readyz                           anyone
GET    /assets/app.js                    anyone
GET    /v1/openapi.json                  anyone

POST   /v1/chat/completions              inference
GET    /v1/models                        inference
GET    /v1/usage                         inference
GET    /v1/mcp/tools                     inference
POST   /mcp/:server                      inference
GET    /v1/models/*                      inference
POST   /v1/responses                     inference
GET    /v1/responses/:id                 inference
DELETE /v1/responses/:id                 inference
GET    /v1/responses/:id/input_items     inference
POST   /v1/responses/:id/cancel          inference
POST   /v1/responses/input_tokens        inference
POST   /v1/messages                      inference
POST   /v1/messages/count_tokens         inference
POST   /v1/v1/messages                   inference
POST   /v1/v1/messages/count_tokens      inference
POST   /v1beta/models/*:generateContent                  inference
POST   /v1beta/models/*:streamGenerateContent            inference
POST   /v1beta/models/*:streamGenerateContent?alt=sse    inference
POST   /v1beta/models/*:countTokens                      inference
POST   /v1/models/*:generateContent                      inference
POST   /v1/models/*:streamGenerateContent                inference
POST   /v1/models/*:streamGenerateContent?alt=sse        inference
POST   /v1/models/*:countTokens                          inference
POST   /v1/v1beta/models/*:generateContent               inference
POST   /v1/v1beta/models/*:streamGenerateContent         inference
POST   /v1/v1beta/models/*:streamGenerateContent?alt=sse inference
POST   /v1/v1beta/models/*:countTokens                   inference
POST   /v1/v1/models/*:generateContent                   inference
POST   /v1/v1/models/*:streamGenerateContent             inference
POST   /v1/v1/models/*:streamGenerateContent?alt=sse     inference
POST   /v1/v1/models/*:countTokens                       inference
GET    /v1beta/models                    inference
GET    /v1beta/models/*                  inference
POST   /v1/completions                   inference
POST   /v1/embeddings                    inference
POST   /v1/rerank                        inference
POST   /proxy/responses                  inference
POST   /proxy/chat/completions           inference
GET    /proxy/models                     inference
POST   /llm/v1/chat/completions          inference
POST   /llm/*                            inference
GET    /proxy/debug/tool-calls           admin-key
GET    /metrics                          metrics

GET    /api/hello                        anyone
GET    /v1/api/hello                     anyone
GET    /v1/v1/models                     anyone
GET    /v1/v1/models/*                   anyone
ANY    /v1                               anyone
ANY    /                                anyone
ANY    /v1/*                             anyone
ANY    /v1/v1                            anyone
ANY    /v1/v1/*                          anyone
ANY    /chat/completions                 anyone
ANY    /completions                      anyone
ANY    /responses                        anyone
ANY    /embeddings                       anyone
ANY    /rerank                           anyone
ANY    /models                           anyone
ANY    /proxy/*                          anyone
GET    /llm/*                            anyone
PUT    /llm/*                            anyone
PATCH  /llm/*                            anyone
DELETE /llm/*                            anyone
GET    /v1/chat/completions             anyone
PUT    /v1/chat/completions             anyone
PATCH  /v1/chat/completions             anyone
DELETE /v1/chat/completions             anyone
ANY    /v1/chat/completions/*           anyone
GET    /v1/responses                    anyone
PUT    /v1/responses                    anyone
PATCH  /v1/responses                    anyone
DELETE /v1/responses                    anyone
GET    /v1/messages                     anyone
PUT    /v1/messages                     anyone
PATCH  /v1/messages                     anyone
DELETE /v1/messages                     anyone
ANY    /v1/messages/*                   anyone
POST   /v1beta/models                    anyone
PUT    /v1beta/models                    anyone
PATCH  /v1beta/models                    anyone
DELETE /v1beta/models                    anyone
POST   /v1beta/models/*                  anyone
PUT    /v1beta/models/*                  anyone
PATCH  /v1beta/models/*                  anyone
DELETE /v1beta/models/*                  anyone
ANY    /v1beta/*                         anyone
GET    /v1/v1/messages                  anyone
PUT    /v1/v1/messages                  anyone
PATCH  /v1/v1/messages                  anyone
DELETE /v1/v1/messages                  anyone
ANY    /v1/v1/messages/*                anyone
GET    /proxy/chat/completions          anyone
PUT    /proxy/chat/completions          anyone
PATCH  /proxy/chat/completions          anyone
DELETE /proxy/chat/completions          anyone
ANY    /proxy/chat/completions/*        anyone
GET    /proxy/responses                 anyone
PUT    /proxy/responses                 anyone
PATCH  /proxy/responses                 anyone
DELETE /proxy/responses                 anyone
ANY    /proxy/responses/*               anyone
GET    /llm/v1/chat/completions         anyone
PUT    /llm/v1/chat/completions         anyone
PATCH  /llm/v1/chat/completions         anyone
DELETE /llm/v1/chat/completions         anyone
ANY    /llm/v1/chat/completions/*       anyone
POST   /v1/responses/*                  anyone
PUT    /v1/responses/*                  anyone
PATCH  /v1/responses/*                  anyone
POST   /v1/responses/:id                anyone
PUT    /v1/responses/:id                anyone
PATCH  /v1/responses/:id                anyone
ANY    /v1/responses/:id/*              anyone
POST   /v1/responses/:id/input_items     anyone
PUT    /v1/responses/:id/input_items     anyone
PATCH  /v1/responses/:id/input_items     anyone
DELETE /v1/responses/:id/input_items     anyone
ANY    /v1/responses/:id/input_items/*  anyone
GET    /v1/responses/:id/cancel          anyone
PUT    /v1/responses/:id/cancel          anyone
PATCH  /v1/responses/:id/cancel          anyone
DELETE /v1/responses/:id/cancel          anyone
ANY    /v1/responses/:id/cancel/*       anyone

GET    /api/session                      viewer
POST   /api/session                      anyone
GET    /api/session/ways                 anyone
GET    /api/oidc/start                   anyone
GET    /api/oidc/callback                anyone
POST   /api/session/password             viewer
POST   /api/links/look                   anyone
POST   /api/links/use                    anyone
POST   /api/links/key                    anyone

GET    /api/keys                         viewer
GET    /api/keys/:id                     viewer
POST   /api/keys                         editor
POST   /api/keys/batch                   editor
POST   /api/keys/import                  editor
PATCH  /api/keys                         editor
PATCH  /api/keys/:id                     editor
POST   /api/keys/:id/rotate              editor
POST   /api/keys/:id/connect-link        editor
DELETE /api/keys/:id                     editor

POST   /api/connect/session              anyone
GET    /api/connect                      key-owner
GET    /api/connect/requests             key-owner
POST   /api/connect/rotate               key-owner

GET    /api/budgets                      viewer
PUT    /api/budgets                      editor

GET    /api/teams                        viewer
POST   /api/teams                        admin
PATCH  /api/teams/:id                    admin
DELETE /api/teams/:id                    admin
GET    /api/users                        admin
POST   /api/users                        admin
PATCH  /api/users/:id                    admin
DELETE /api/users/:id                    admin
POST   /api/users/:id/reset-password     admin

GET    /api/mcp-servers                  admin
POST   /api/mcp-servers                  admin
PATCH  /api/mcp-servers/:id              admin
DELETE /api/mcp-servers/:id              admin
POST   /api/mcp-servers/:id/look         admin
POST   /api/mcp-servers/:id/accept       admin
PUT    /api/mcp-servers/:id/grants       admin
POST   /api/mcp-servers/:id/call         admin
GET    /api/upstreams                    admin
POST   /api/upstreams                    admin
POST   /api/upstreams/test               admin
PATCH  /api/upstreams/:id                admin
DELETE /api/upstreams/:id                admin
POST   /api/upstreams/:id/discover       admin
GET    /api/upstreams/:id/health         admin

GET    /api/models                       viewer
GET    /api/models/:id                   viewer
POST   /api/models                       admin
PATCH  /api/models/:id                   admin
DELETE /api/models/:id                   admin
DELETE /api/models/:id/learned           admin
POST   /api/models/:id/constraints       admin
GET    /api/models/:id/changes           viewer
GET    /api/models/:id/evidence          viewer
GET    /api/models/:id/breakdown         viewer
GET    /api/dialects                     viewer
POST   /api/models/:id/trials            editor
POST   /api/models/:id/probes            editor
GET    /api/models/:id/probes            viewer
GET    /api/probes/:id                   viewer
POST   /api/probes/:id/cancel            editor
GET    /api/models/:id/probe-cases       viewer
POST   /api/models/:id/probe-cases       admin
DELETE /api/probe-cases/:id              admin
POST   /api/models/:id/experiments       admin
GET    /api/models/:id/experiments       viewer
POST   /api/experiments/:id/keep         admin
POST   /api/experiments/:id/undo         admin
GET    /api/trials/:id                   editor
POST   /api/trials/:id/cancel            editor

GET    /api/turns                        viewer
GET    /api/turns/:id                    viewer
GET    /api/turns/export                 viewer
GET    /api/turns/facets                 viewer
POST   /api/turns/replay                 editor
POST   /api/playground                   admin
GET    /api/views                        viewer
POST   /api/views                        viewer
PATCH  /api/views/:id                    viewer
DELETE /api/views/:id                    viewer
GET    /api/exports                      viewer
POST   /api/exports                      viewer
GET    /api/exports/:id/file             viewer
DELETE /api/exports/:id                  viewer
GET    /api/failures                     viewer
GET    /api/failures/clusters            viewer
GET    /api/failures/story               viewer
PUT    /api/failures/work                editor
GET    /api/stats/overview               viewer
GET    /api/stats/usage                  viewer
GET    /api/stats/usage/over-time        viewer
GET    /api/stats/usage/export           viewer
GET    /api/stats/rates/export           viewer

GET    /api/status                       viewer
GET    /api/checklist                    viewer
GET    /api/settings                     admin
PATCH  /api/settings                     admin
GET    /api/config                       admin
POST   /api/config                       admin
GET    /api/redaction                    admin
POST   /api/redaction                    admin
POST   /api/redaction/try                admin
DELETE /api/redaction/:id                admin
GET    /api/audit                        admin
GET    /api/audit/export                 admin
GET    /api/webhooks                     admin
POST   /api/webhooks                     admin
PATCH  /api/webhooks/:id                 admin
DELETE /api/webhooks/:id                 admin
POST   /api/webhooks/:id/test            admin
POST   /api/demo/turns                   admin
DELETE /api/demo                         admin
GET    /api/queue                                            admin
GET    /api/queue/static/*                                   admin
GET    /api/queue/job-schedulers                             admin
GET    /api/queue/metrics-history                            admin
GET    /api/queue/queue/:queueName                           admin
GET    /api/queue/queue/:queueName/:jobId                    admin
GET    /api/queue/api/redis/stats                            admin
GET    /api/queue/api/queues                                 admin
GET    /api/queue/api/job-schedulers                         admin
GET    /api/queue/api/queues/:queueName/metrics              admin
GET    /api/queue/api/queues/:queueName/default-job-options  admin
GET    /api/queue/api/queues/:queueName/workers              admin
GET    /api/queue/api/queues/:queueName/rate-limit           admin
GET    /api/queue/api/queues/:queueName/job-data-schema      admin
GET    /api/queue/api/queues/:queueName/:jobId               admin
GET    /api/queue/api/queues/:queueName/:jobId/logs          admin
GET    /api/queue/api/queues/:queueName/:jobId/flow          admin

DELETE /api/session                      anyone
DELETE /api/connect/session              anyone
`;

/** One route and who may call it. */
export interface RouteAccessRow {
  readonly method: string;
  readonly path: string;
  readonly open: RouteFor;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The rows of the table. */
export const accessRows = (): RouteAccessRow[] =>
  routeAccess
    .trim()
    .split(/\n+/)
    .flatMap((line) => {
      const [method = '', path = '', open = ''] = line.split(/\s+/);
      const each = method === 'ANY' ? methods : [method];
      return each.map((one) => ({ method: one, path, open: open as RouteFor }));
    });
