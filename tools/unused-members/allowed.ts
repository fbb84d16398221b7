/** Members that may stay although nothing reads them: `path#Type.member`, or a prefix of such names, and why. */
export const allowed: Readonly<Record<string, string>> = {
  'libs/stream/src/stage.ts#runSync.fault': 'what a stage ends with; the product runs only stages that end well',
  'libs/data/src/stats/findings.ts#rulesOf.': 'timed by tools/bench-record.ts, which only counts the rows',
  'libs/contracts/src/openapi.ts#shorten.jsonSchema.pattern': 'deleted from the schema that zod writes',
  'apps/gateway/src/proxy/upstream/transport/transport.ts#NotHttp.code':
    'read of unknown errors, as the codes of undici are',
  'apps/gateway/src/admin/route-access.ts#RouteAccessRow.':
    'the declaration of who may call what; its test holds it against every route',
  'apps/gateway/src/route-table.ts#ServedRoute.': 'the routes as they are, for the tests that walk all of them',
};
