import type { Product } from '../product.ts';
import { admin, adminPost } from './steps.ts';

/** Screens by name and address. */
export type Screens = readonly (readonly [name: string, path: string])[];

/** Every screen by name and address. */
export async function screensOf(product: Product): Promise<Screens> {
  const models = await admin<{ items: { id: string; name: string }[] }>(product, '/api/models');
  const keys = await admin<{ items: { id: string; kind: string }[] }>(product, '/api/keys');
  const model = models.items.find(({ name }) => name.endsWith('-flaky'))?.id ?? '';
  // Of this model: the newest of all may be a refused request, of which nothing is stored.
  const failures = `/api/failures?limit=1&outcome=failed&model=${model}`;
  const turns = await admin<{ items: { id: string }[] }>(product, failures);
  const key = keys.items.find(({ kind }) => kind !== 'demo')?.id ?? '';
  return [
    ['overview', '/?range=1h'],
    ['overview-table', '/?range=1h&outcomes=table'],
    ['failures', '/failures'],
    ['failures-list', '/failures?view=list'],
    ['transcripts', '/transcripts'],
    ['transcripts-chosen', `/transcripts?outcome=failed&facets=yes&turn=${turns.items[0]?.id ?? ''}`],
    ['transcripts-exports', '/transcripts?exports=yes'],
    ['failures-replay', '/failures?view=list&replay=auto'],
    ['failure', `/failures/${turns.items[0]?.id ?? ''}`],
    ['failure-run-again', `/failures/${turns.items[0]?.id ?? ''}?rerun=yes`],
    ['failure-replay', `/failures/${turns.items[0]?.id ?? ''}?again=then`],
    ['models', '/models'],
    ['model-add', '/models?add=yes'],
    ['model', `/models/${model}?to=prompt`],
    ['model-trial', `/models/${model}?to=prompt&trial=${await trialOf(product, model)}`],
    ['model-settings', `/models/${model}?edit=settings`],
    ['playground', `/playground?columns=${model}~native,${model}~prompt~hermes`],
    ['keys', '/keys'],
    ['key-issue', '/keys?issue=one'],
    ['key-issue-many', '/keys?issue=many'],
    ['key-limits', `/keys?limits=${key}`],
    ['key-revoke', `/keys?revoke=${key}`],
    ['usage', '/usage?range=1h'],
    ['usage-keys', '/usage?range=1h&by=key&unit=turns'],
    ['usage-table', '/usage?range=1h&view=table'],
    ['upstreams', '/upstreams'],
    ['upstream-add', '/upstreams?add=yes'],
    ['mcp-servers', '/mcp-servers'],
    ['mcp-server-add', '/mcp-servers?add=yes'],
    ['teams', '/teams'],
    ['team-add', '/teams?add=team'],
    ['user-invite', '/teams?add=user'],
    ['settings', '/settings'],
    ['pattern-add', '/settings?add-pattern=yes'],
    ['webhook-add', '/settings?add-webhook=yes'],
    ['audit', '/audit'],
    ['account', '/account'],
    ['not-found', '/nowhere'],
  ];
}

/** What opens on another screen, or is linked from it, by name and address. */
export async function furtherScreensOf(product: Product): Promise<Screens> {
  const [keys, teams, turns] = await Promise.all([
    admin<{ items: { id: string; kind: string }[] }>(product, '/api/keys'),
    admin<{ items: { id: string; name: string }[] }>(product, '/api/teams'),
    admin<{ items: { id: string; modelId: string }[] }>(product, '/api/failures?limit=1&outcome=failed'),
  ]);
  const key = keys.items.find(({ kind }) => kind !== 'demo')?.id ?? '';
  const team = teams.items.find(({ name }) => name === 'default')?.id ?? '';
  const { id = '', modelId = '' } = turns.items[0] ?? {};
  return [
    ['key', `/keys/${key}`],
    ['team', `/teams/${team}`],
    ['failure-compare', `/failures/${id}?compare=sent`],
    ['failure-conversation', `/failures/${id}?thread=yes`],
    ['model-breakdown', `/models/${modelId}?breakdown=open`],
    ['model-experiments', `/models/${modelId}?experiments=open`],
  ];
}

/** A finished trial of the model. */
async function trialOf(product: Product, model: string): Promise<string> {
  const { id } = await adminPost<{ id: string }>(product, `/api/models/${model}/trials`, { strategy: 'prompt' });
  for (let state = ''; state !== 'done'; await new Promise((wait) => setTimeout(wait, 100)))
    ({ state } = await admin<{ state: string }>(product, `/api/trials/${id}`));
  return id;
}

/** Screens for users who are not signed in. */
export const openScreens = [
  ['sign-in', '/sign-in'],
  ['connect-not-connected', '/connect'],
  ['link-gone', '/link#no-such-token-0123456789'],
] as const;
