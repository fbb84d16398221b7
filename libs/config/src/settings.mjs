// The settings of Callsmith: the one table from which the checks, `.env.example` and the README's table are made.
// Plain JavaScript without packages, because `npm start` reads it before anything is installed.

import { isIP } from 'node:net';

const KINDS = ['vllm', 'sglang', 'llamacpp', 'ollama', 'lmstudio', 'openai'];

/**
 * Each entry's `check` answers with what is wrong with a value, as the end of "NAME …", or with undefined.
 * `secret`: never printed. `example`: what `.env.example` shows.
 * @type {readonly import('./settings.mjs').Setting[]}
 */
export const settings = [
  {
    name: 'PORT',
    group: 'Where it listens',
    doc: 'Port of API and dashboard.',
    fallback: '4000',
    example: '4000',
    check: whole(0, 65535),
  },
  {
    name: 'HOST',
    group: 'Where it listens',
    doc: 'Address to listen on. `0.0.0.0`: reachable from other machines.',
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    check: (value) =>
      /^[\w.:%-]+$/.test(value) ? undefined : 'is a host name or an address, without http:// and port',
  },
  {
    name: 'WORKERS',
    group: 'Where it listens',
    doc: 'How many processes share the port: one for each core that requests may use.',
    fallback: '1',
    example: '2',
    check: whole(1, 64),
  },
  {
    name: 'PUBLIC_URL',
    group: 'Where it listens',
    doc: "What people type to reach it; used in snippets, links and same-origin checks. Absent: the request's own address.",
    example: 'https://callsmith.example.com',
    check: url(['http:', 'https:']),
  },
  {
    name: 'TRUST_PROXY',
    group: 'Where it listens',
    doc: 'Reverse proxies whose `X-Forwarded-*` headers count: how many stand in front, or their addresses. Absent: none.',
    example: '1',
    check: proxies,
  },
  {
    name: 'DATA_DIR',
    group: 'What it keeps',
    doc: 'Folder of the embedded database, its password, the `SECRET_KEY` that was made, the demo key and the logs of `npm start`.',
    fallback: './.callsmith',
    example: './.callsmith',
    check: () => undefined,
  },
  {
    name: 'DATABASE_URL',
    group: 'What it keeps',
    doc: 'A Postgres of your own (14 or newer), used by Callsmith alone; needs `SECRET_KEY`. Absent: the embedded one.',
    example: 'postgresql://callsmith:…@db:5432/callsmith',
    secret: true,
    check: (value) =>
      url(['postgres:', 'postgresql:'])(value) ??
      (new URL(value).pathname.length > 1
        ? undefined
        : 'names no database: postgresql://user:password@host:5432/callsmith'),
  },
  {
    name: 'REDIS_URL',
    group: 'What it keeps',
    doc: 'Carries jobs and shared counters. Absent: Postgres does.',
    example: 'redis://redis:6379',
    secret: true,
    check: url(['redis:', 'rediss:']),
  },
  {
    name: 'SECRET_KEY',
    group: 'What it keeps',
    doc: 'Peppers key hashes, signs sessions, encrypts credentials; at least 32 bytes (`openssl rand -hex 32`). Absent: made on the first start and kept in `DATA_DIR`; required with `DATABASE_URL`.',
    example: '…',
    secret: true,
    check: secret(32, 'bytes'),
  },
  {
    name: 'ADMIN_EMAIL',
    group: 'Who may enter',
    doc: "The administrator's address; counts on the first start only.",
    fallback: 'admin@callsmith.local',
    example: 'you@example.com',
    check: (value) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? undefined : 'is an e-mail address'),
  },
  {
    name: 'ADMIN_PASSWORD',
    group: 'Who may enter',
    doc: "The administrator's password, at least 8 characters; counts on the first start only. Absent: generated and shown once.",
    example: '…',
    secret: true,
    check: secret(8),
  },
  {
    name: 'ADMIN_KEY',
    group: 'Who may enter',
    doc: 'Opens the admin API in the `X-Admin-Key` header, at least 16 characters. Absent: only a session does.',
    example: '…',
    secret: true,
    check: secret(16),
  },
  {
    name: 'API_KEY',
    group: 'Who may enter',
    doc: 'Registers this API key for the default team; any form, at least 20 characters.',
    example: '…',
    secret: true,
    check: secret(20),
  },
  {
    name: 'METRICS_TOKEN',
    group: 'Who may enter',
    doc: 'Opens `/metrics` as `Authorization: Bearer`, at least 16 characters. Absent: only `ADMIN_KEY` does.',
    example: '…',
    secret: true,
    check: secret(16),
  },
  {
    name: 'OIDC_ISSUER',
    group: 'Who may enter',
    doc: 'Issuer URL of an OpenID Connect provider to sign in with; needs `PUBLIC_URL` (register `PUBLIC_URL/api/oidc/callback` there), `OIDC_CLIENT_ID` and `OIDC_ROLES`. Absent: e-mail and password only.',
    example: 'https://login.example.com/realms/main',
    check: url(['http:', 'https:']),
  },
  {
    name: 'OIDC_CLIENT_ID',
    group: 'Who may enter',
    doc: 'What the provider knows Callsmith as.',
    example: 'callsmith',
    check: token,
  },
  {
    name: 'OIDC_CLIENT_SECRET',
    group: 'Who may enter',
    doc: "The client's secret at the provider. Absent: a public client (PKCE is used in any case).",
    example: '…',
    secret: true,
    check: token,
  },
  {
    name: 'OIDC_GROUPS_CLAIM',
    group: 'Who may enter',
    doc: "The claim that lists a person's groups.",
    fallback: 'groups',
    example: 'groups',
    check: token,
  },
  {
    name: 'OIDC_ROLES',
    group: 'Who may enter',
    doc: "What members of the provider's groups may do here: `group=admin`, or `group=editor:team` and `group=viewer:team`, separated by commas. Who is in none of the groups does not get in.",
    example: 'platform=admin, ml=editor:default',
    check: groupRoles,
  },
  {
    name: 'UPSTREAM_URL',
    group: 'The model server',
    doc: 'Base URL of the model server, with or without `/v1`. It need not answer at the start.',
    example: 'http://gpu:8000/v1',
    check: url(['http:', 'https:']),
  },
  {
    name: 'UPSTREAM_KEY',
    group: 'The model server',
    doc: 'The key which that server asks for. Absent: none.',
    example: '…',
    secret: true,
    mayBeEmpty: true,
    check: token,
  },
  {
    name: 'UPSTREAM_KIND',
    group: 'The model server',
    doc: `What that server is: ${KINDS.map((kind) => `\`${kind}\``).join(', ')}. Absent: found out.`,
    example: 'vllm',
    check: oneOf(KINDS),
  },
  {
    name: 'DEMO',
    group: 'The model server',
    doc: 'Demo models: `on` or `off`. Absent: on until a real upstream exists.',
    example: 'off',
    check: oneOf(['on', 'off']),
  },
  {
    name: 'STREAM_SHORT_WAY',
    group: 'The model server',
    doc: 'Pieces of plain text in a stream go past the stages that read calls: `on` or `off`. What comes out is the same.',
    fallback: 'on',
    example: 'off',
    check: oneOf(['on', 'off']),
  },
  {
    name: 'TOOL_CALL_DEBUG_MAX',
    group: 'What it keeps',
    doc: 'How many recent raw tool calls `GET /proxy/debug/tool-calls` remembers, each process its own.',
    fallback: '200',
    example: '200',
    check: whole(0, 100_000),
  },
  {
    name: 'STORE_GRACE_SECONDS',
    group: 'What it keeps',
    doc: 'For so long keys, models and limits are served from memory while the database is away, and limits while Redis is; then requests are refused.',
    fallback: '600',
    example: '600',
    check: whole(30, 86_400),
  },
  {
    name: 'RESPONSES_DAYS',
    group: 'What it keeps',
    doc: 'For how many days answers of `/v1/responses` are kept, so that `previous_response_id` can go on from them.',
    fallback: '30',
    example: '30',
    check: whole(1, 3650),
  },
  {
    name: 'TOOL_CALL_REPEATS',
    group: 'What it stops',
    doc: 'How often in a row a model may make the same call and get the same result before that is a loop. `0`: loops are not looked for.',
    fallback: '10',
    example: '10',
    check: (value) => (value === '1' ? 'is 0, or at least 2' : whole(0, 1000)(value)),
  },
  {
    name: 'TOOL_CALL_EXCESS',
    group: 'What it stops',
    doc: "What happens at such a loop, and at a model's limit of tool calls in a conversation: `refuse` answers with an error; `nudge` tells the model so and lets it go on, at the limit without tools.",
    fallback: 'refuse',
    example: 'nudge',
    check: oneOf(['refuse', 'nudge']),
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    group: 'What it keeps',
    doc: 'Base URL of an OpenTelemetry collector (OTLP over HTTP) that gets a span for each turn, without bodies. Headers for it: `OTEL_EXPORTER_OTLP_HEADERS` in the environment. Absent: no traces.',
    example: 'http://collector:4318',
    check: url(['http:', 'https:']),
  },
];

/** Environment variables with these beginnings are ours: an unknown one is a mistake. */
const OURS = /^(?:UPSTREAM|ADMIN|CALLSMITH)_/;

/**
 * Reads and checks the settings. The environment wins over the file; an empty value counts as absent, but for secrets.
 * @param {{ env: Record<string, string | undefined>, file: Record<string, string | undefined> }} from
 * @returns {import('./settings.mjs').CheckedSettings}
 */
export function checkSettings({ env, file }) {
  /** @type {Record<string, string>} */ const values = {};
  /** @type {import('./settings.mjs').GivenSetting[]} */ const given = [];
  /** @type {import('./settings.mjs').SettingProblem[]} */ const problems = [];
  for (const setting of settings) {
    const from = env[setting.name] === undefined ? '.env' : 'environment';
    const value = (env[setting.name] ?? file[setting.name])?.trim();
    if (value === '' && setting.secret && !setting.mayBeEmpty) {
      problems.push({ name: setting.name, from, value: '', wrong: 'is empty: give it a value or leave it out' });
    } else if (value) {
      const shown = setting.secret ? mask(value) : value.replace(/\/\/[^/@]*@/, '//••••@');
      const wrong = setting.check(value);
      if (wrong) problems.push({ name: setting.name, from, value: shown, wrong });
      values[setting.name] = value;
      given.push({ name: setting.name, from, shown });
    } else if (setting.fallback !== undefined) values[setting.name] = setting.fallback;
  }
  return { values, given, problems: [...problems, ...unknownNames(env, file), ...missing(values)] };
}

/** What is wrong as a table for people; each row names where the value came from. @param {readonly import('./settings.mjs').SettingProblem[]} problems */
export function problemTable(problems) {
  const rows = problems.map(({ name, from, value, wrong }) => [name, value === '' ? '' : `"${value}"`, from, wrong]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  const what = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
  return [`${what} wrong:`, ...lines, 'All settings: .env.example'].join('\n');
}

/** A secret as it may be printed: its length is not told. @param {string} value */
export function mask(value) {
  return value.length >= 20 ? `••••${value.slice(-2)}` : '••••';
}

function missing(values) {
  const problems = [];
  const needs = (name, wrong) => problems.push({ name, from: 'missing', value: '', wrong });
  if (values.DATABASE_URL && !values.SECRET_KEY) {
    needs('SECRET_KEY', 'is required with DATABASE_URL (at least 32 bytes, e.g. from: openssl rand -hex 32)');
  }
  for (const name of ['PUBLIC_URL', 'OIDC_CLIENT_ID', 'OIDC_ROLES'])
    if (values.OIDC_ISSUER && !values[name]) needs(name, 'is required with OIDC_ISSUER');
  if (!values.UPSTREAM_URL) {
    for (const name of ['UPSTREAM_KEY', 'UPSTREAM_KIND'])
      if (values[name]) needs('UPSTREAM_URL', `is required with ${name}`);
  }
  return problems;
}

function unknownNames(env, file) {
  const known = settings.map((setting) => setting.name);
  const problems = [];
  const report = (name, from) => {
    if (known.includes(name)) return;
    const meant = nearest(name, known);
    problems.push({ name, from, value: '', wrong: `is not a setting${meant ? `: did you mean ${meant}?` : ''}` });
  };
  for (const name of Object.keys(file)) report(name, '.env');
  for (const name of Object.keys(env)) if (OURS.test(name)) report(name, 'environment');
  return problems;
}

function nearest(name, known) {
  const bare = name.toUpperCase().replace(/^CALLSMITH_/, '');
  const longer = known.find((candidate) => bare.length >= 4 && candidate.startsWith(bare));
  if (longer) return longer;
  const distances = known.map((candidate) => ({ candidate, away: distance(bare, candidate) }));
  const best = distances.reduce((a, b) => (b.away < a.away ? b : a));
  return best.away <= Math.max(2, Math.floor(bare.length / 3)) ? best.candidate : undefined;
}

/** Edits (insert, remove, replace) from one name to the other. */
function distance(a, b) {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = previous[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column] + 1, current[column - 1] + 1));
    }
    previous = current;
  }
  return previous[b.length];
}

function whole(least, most) {
  return (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `is a whole number from ${least} to ${most}`;
}

function oneOf(words) {
  return (value) => (words.includes(value) ? undefined : `is one of ${words.join(', ')}`);
}

function url(protocols) {
  const form = `is a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return (value) => {
    try {
      const { protocol, hostname } = new URL(value);
      return protocols.includes(protocol) && hostname !== '' ? undefined : form;
    } catch {
      return form;
    }
  };
}

function proxies(value) {
  const form = 'is the number of proxies in front (e.g. 1) or their addresses (e.g. 10.0.0.0/8, 192.168.1.5)';
  if (/^\d{1,2}$/.test(value)) return undefined;
  const address = (part) => {
    const [host, bits] = part.trim().split('/');
    const family = isIP(host ?? '');
    return family !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)));
  };
  return value.split(',').every(address) ? undefined : form;
}

function groupRoles(value) {
  const form = 'is a list like: platform=admin, ml=editor:default';
  const entry = /^[^=,]+=(?:admin|(?:editor|viewer):[^=,:]+)$/;
  return value.split(',').every((part) => entry.test(part.trim())) ? undefined : form;
}

function token(value) {
  return /^[\x21-\x7e]+$/.test(value)
    ? undefined
    : 'holds only visible ASCII characters, because it travels in a header';
}

function secret(least, unit = 'characters') {
  return (value) => {
    if (Buffer.byteLength(value) < least) return `has at least ${least} ${unit}`;
    if (/^(.)\1*$/u.test(value) || /change.?me|example|your.?(?:secret|key|password)|…/i.test(value))
      return 'is an example, not a secret';
    return unit === 'bytes' || least === 8 ? undefined : token(value);
  };
}
