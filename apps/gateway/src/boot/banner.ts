import type { Config } from '@callsmith/config';
import type { SeedResult } from './seed-tables.ts';
import { isLoopbackOnly, localUrl, outsideUrls, shownUrl } from './urls.ts';

/** What the start found and created, for display. */
export interface BannerFacts {
  readonly config: Config;
  readonly seeded: SeedResult;
  readonly port: number;
  /** Folder of the embedded database; undefined with DATABASE_URL. */
  readonly databaseFolder: string | undefined;
  /** A line for each upstream that does not answer. */
  readonly upstreamProblems: readonly string[];
}

/** Everything needed right after the start: addresses, sign-in, a sample request, the data folders. */
export function banner(facts: BannerFacts): string {
  const { config, seeded, port, upstreamProblems } = facts;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Dashboard', [shownUrl(config.server, port)]],
    ['Sign in', signIn(facts)],
    ['Demo key', seeded.demoKey === undefined ? [] : [`${seeded.demoKey}  (demo models only)`]],
    ['Try it', [tryIt(facts)]],
    ['Upstream', upstreamProblems],
    ['Data', data(facts)],
    ['Settings', config.given.map(({ name, shown, from }) => `${name}=${shown}  (${from})`)],
    ['Network', network(facts)],
    [
      'Commands',
      [
        'npm run callsmith -- reset-password [email]',
        'npm run reset  (removes all data, after asking)',
        'Ctrl-C to stop',
      ],
    ],
    ['Warning', seeded.warnings],
  ];
  const lines = rows.flatMap(([label, values]) =>
    values.map((value, at) => `  ${(at === 0 ? label : '').padEnd(11)}${value}`),
  );
  return `\n  Callsmith is ready.\n\n${lines.join('\n')}\n\n`;
}

function signIn({ config, seeded: { firstAdmin, signInToken }, port }: BannerFacts): string[] {
  if (firstAdmin === undefined) return [];
  const { email, generatedPassword } = firstAdmin;
  return [
    `${email}, password ${generatedPassword ?? 'from ADMIN_PASSWORD'}`,
    signInToken === undefined
      ? 'or with a link that works once: npm run callsmith -- sign-in-link'
      : `or open this link (works once, expires in 24 h): ${shownUrl(config.server, port)}/link#${signInToken}`,
  ];
}

const TOOL = {
  type: 'function',
  function: {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
};

function tryIt({ config, seeded: { demoKey }, port }: BannerFacts): string {
  const base = `${localUrl(config.server.host, port)}/v1`;
  if (demoKey === undefined)
    return `curl ${base}/models -H "Authorization: Bearer $API_KEY"  (create a key in the dashboard)`;
  const body = {
    model: 'demo-text',
    messages: [{ role: 'user', content: 'Read the file README.md' }],
    tools: [TOOL],
  };
  return `curl ${base}/chat/completions -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

function data({ config, databaseFolder }: BannerFacts): string[] {
  if (databaseFolder === undefined) {
    const { host, pathname } = new URL(config.databaseUrl);
    return [`database ${pathname.slice(1)} on ${host}; everything else in ${config.dataDir}`];
  }
  const inside = databaseFolder.startsWith(config.dataDir);
  return inside
    ? [config.dataDir]
    : [config.dataDir, `${databaseFolder}  (database: its account cannot access the folder above)`];
}

function network({ config, port }: BannerFacts): string[] {
  const outside = outsideUrls(config.server, port);
  if (outside.length > 0) return [`reachable at ${outside.join('  ')}`];
  if (!isLoopbackOnly(config.server.host)) return [];
  return [
    'reachable from this machine only. For other machines: HOST=0.0.0.0 npm start,',
    `or on the other machine: ssh -L ${port}:127.0.0.1:${port} <this machine>`,
  ];
}
