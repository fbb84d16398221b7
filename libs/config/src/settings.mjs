// The settings of Callsmith: one table from which the checks, `.env.example` and the README's table are generated.
// Plain JavaScript without packages, because `npm start` reads it before anything is installed.

import { isIP } from 'node:net';
import { headerNameProblem, headerValueProblem } from '../../turn/src/upstream-headers.mjs';
import { upstreamKinds } from '../../turn/src/upstream-kinds.mjs';

/**
 * Each entry's `check` returns what is wrong with a value, as the end of "NAME …", or undefined.
 * `secret`: never printed. `show`: what may be printed of a value. `example`: what `.env.example` shows.
 * @type {readonly import('./settings.mjs').Setting[]}
 */
export const settings = [
  {
    name: 'PORT',
    group: 'Network',
    doc: 'Port of the API and the dashboard.',
    fallback: '4000',
    example: '4000',
    check: whole(0, 65535),
  },
  {
    name: 'HOST',
    group: 'Network',
    doc: 'Address to listen on. `0.0.0.0` accepts connections from other machines.',
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    check: (value) =>
      /^[\w.:%-]+$/.test(value) ? undefined : 'must be a host name or an address, without http:// and port',
  },
  {
    name: 'WORKERS',
    group: 'Network',
    doc: 'Number of processes that share the port; one per CPU core that may serve requests.',
    fallback: '1',
    example: '2',
    check: whole(1, 64),
  },
  {
    name: 'DRAIN_SECONDS',
    group: 'Network',
    doc: 'Seconds that running requests may take to finish after the signal to stop. Then streams end with an error event. A second signal stops immediately.',
    fallback: '300',
    example: '300',
    check: whole(0, 3600),
  },
  {
    name: 'DRAIN_DELAY_SECONDS',
    group: 'Network',
    doc: 'Seconds between the moment `/readyz` starts to return 503 and the moment new connections are refused, so that load balancers take the process out of rotation first. If unset: 5 in Kubernetes, else 0.',
    example: '5',
    check: whole(0, 300),
  },
  {
    name: 'PUBLIC_URL',
    group: 'Network',
    doc: 'Address under which people reach Callsmith; used in snippets, links and same-origin checks. If unset: the address of the request.',
    example: 'https://callsmith.example.com',
    check: url(['http:', 'https:']),
  },
  {
    name: 'TRUST_PROXY',
    group: 'Network',
    doc: 'Reverse proxies whose `X-Forwarded-*` headers are trusted: their number, or their addresses. If unset: none.',
    example: '1',
    check: proxies,
  },
  {
    name: 'DATA_DIR',
    group: 'Storage',
    doc: 'Folder for the embedded database, its password, the generated `SECRET_KEY`, the demo key and the logs of `npm start`.',
    fallback: './.callsmith',
    example: './.callsmith',
    check: () => undefined,
  },
  {
    name: 'DATABASE_URL',
    group: 'Storage',
    doc: 'URL of your own PostgreSQL database (14 or newer), not shared with other applications; requires `SECRET_KEY`. If unset: the embedded database.',
    example: 'postgresql://callsmith:…@db:5432/callsmith',
    secret: true,
    check: (value) =>
      url(['postgres:', 'postgresql:'])(value) ??
      (new URL(value).pathname.length > 1
        ? undefined
        : 'must name a database: postgresql://user:password@host:5432/callsmith'),
  },
  {
    name: 'REDIS_URL',
    group: 'Storage',
    doc: 'URL of a Redis server for jobs and shared counters. If unset: PostgreSQL is used.',
    example: 'redis://redis:6379',
    secret: true,
    check: url(['redis:', 'rediss:']),
  },
  {
    name: 'SECRET_KEY',
    group: 'Storage',
    doc: 'Peppers key hashes, signs sessions and encrypts credentials; at least 32 bytes (`openssl rand -hex 32`). Required with `DATABASE_URL`. If unset: generated on the first start and stored in `DATA_DIR`.',
    example: '…',
    secret: true,
    check: secret(32, 'bytes'),
  },
  {
    name: 'SECRET_KEY_PREVIOUS',
    group: 'Storage',
    doc: 'The previous `SECRET_KEY`, to change it: at the start, what it encrypted is encrypted with the new one. API keys keep working; each is converted when it is next used. Sessions and unused links end.',
    example: '…',
    secret: true,
    check: secret(32, 'bytes'),
  },
  {
    name: 'CONFIG_FILE',
    group: 'Storage',
    doc: 'Configuration file (YAML) with teams, upstreams, models, keys and alerts, applied at the start ([docs/config-file.md](docs/config-file.md)); what it manages is read-only elsewhere. If unset: none.',
    example: '/etc/callsmith/config.yaml',
    check: () => undefined,
  },
  {
    name: 'ADMIN_EMAIL',
    group: 'Access',
    doc: "The administrator's e-mail address; used on the first start only.",
    fallback: 'admin@callsmith.local',
    example: 'you@example.com',
    check: email,
  },
  {
    name: 'ADMIN_PASSWORD',
    group: 'Access',
    doc: "The administrator's password, at least 8 characters; used on the first start only. If unset: generated and shown once.",
    example: '…',
    secret: true,
    check: secret(8),
  },
  {
    name: 'ADMIN_KEY',
    group: 'Access',
    doc: 'Grants access to the admin API (header `X-Admin-Key`), at least 16 characters. If unset: only a session does.',
    example: '…',
    secret: true,
    check: secret(16),
  },
  {
    name: 'API_KEY',
    group: 'Access',
    doc: 'Registers this API key for the default team; any format, at least 20 characters.',
    example: '…',
    secret: true,
    check: secret(20),
  },
  {
    name: 'CALLSMITH_URL',
    group: 'Access',
    doc: 'Address of the gateway that the command `callsmith` connects to, with `ADMIN_KEY`. If unset: the one of this installation.',
    example: 'https://callsmith.example.com',
    check: url(['http:', 'https:']),
  },
  {
    name: 'METRICS_TOKEN',
    group: 'Access',
    doc: 'Grants access to `/metrics` (header `Authorization: Bearer`), at least 16 characters. If unset: only `ADMIN_KEY` does.',
    example: '…',
    secret: true,
    check: secret(16),
  },
  {
    name: 'OIDC_ISSUER',
    group: 'Access',
    doc: 'Issuer URL of an OpenID Connect provider to sign in with; requires `PUBLIC_URL` (register `PUBLIC_URL/api/oidc/callback` there), `OIDC_CLIENT_ID` and `OIDC_ROLES`. If unset: e-mail and password only.',
    example: 'https://login.example.com/realms/main',
    check: url(['http:', 'https:']),
  },
  {
    name: 'OIDC_CLIENT_ID',
    group: 'Access',
    doc: 'Client ID of Callsmith at the provider.',
    example: 'callsmith',
    check: token,
  },
  {
    name: 'OIDC_CLIENT_SECRET',
    group: 'Access',
    doc: 'Client secret at the provider. If unset: a public client (PKCE is always used).',
    example: '…',
    secret: true,
    check: token,
  },
  {
    name: 'OIDC_GROUPS_CLAIM',
    group: 'Access',
    doc: "Claim that lists a user's groups.",
    fallback: 'groups',
    example: 'groups',
    check: token,
  },
  {
    name: 'OIDC_ROLES',
    group: 'Access',
    doc: "Roles of the provider's groups: `group=admin`, `group=editor:team` or `group=viewer:team`, separated by commas. Users in none of these groups are refused.",
    example: 'platform=admin, ml=editor:default',
    check: groupRoles,
  },
  {
    name: 'UPSTREAM_URL',
    group: 'Model server',
    doc: 'Base URL of the model server, with or without `/v1`. It need not be running at start-up.',
    example: 'http://gpu:8000/v1',
    check: url(['http:', 'https:']),
  },
  {
    name: 'UPSTREAM_KEY',
    group: 'Model server',
    doc: 'API key of that server. If unset: none is sent.',
    example: '…',
    secret: true,
    mayBeEmpty: true,
    check: token,
  },
  {
    name: 'MCP_SERVERS_FILE',
    group: 'Model server',
    doc: 'File of MCP servers that run as programs on this host: `{"mcpServers": {"name": {"command", "args", "env", "cwd"}}}`. They get the variables in `env`, PATH and HOME only.',
    example: '/etc/callsmith/mcp-servers.json',
    check: () => undefined,
  },
  {
    name: 'UPSTREAM_KIND',
    group: 'Model server',
    doc: `Kind of that server: ${upstreamKinds.map((kind) => `\`${kind}\``).join(', ')}. If unset: detected.`,
    example: 'vllm',
    check: oneOf(upstreamKinds),
  },
  {
    name: 'UPSTREAM_KEY_HEADER',
    group: 'Model server',
    doc: 'Header in which that API key is sent, such as `api-key` or `x-api-key`. If unset: `Authorization`.',
    example: 'api-key',
    check: headerNameProblem,
  },
  {
    name: 'UPSTREAM_KEY_SCHEME',
    group: 'Model server',
    doc: 'Scheme in front of that API key, such as `Bearer` or `Basic`; `none`: the key alone. If unset: `Bearer` in `Authorization`, none in other headers.',
    example: 'Basic',
    check: token,
  },
  {
    name: 'UPSTREAM_HEADERS',
    group: 'Model server',
    doc: 'Additional headers for that server: `name=value`, separated by commas; a comma in a value is written as `%2C`, a percent sign as `%25`. Stored encrypted, never shown.',
    example: 'X-Title=Callsmith,HTTP-Referer=https://example.com',
    show: (value) =>
      value.replace(/(^|,)([^=,]*)(=?)[^,]*/g, (_, comma, name, is) => `${comma}${is ? name : ''}${is}••••`),
    check: headerList,
  },
  {
    name: 'UPSTREAM_CONNECT_TIMEOUT_SECONDS',
    group: 'Model server',
    doc: 'Seconds within which a connection to that server must be established.',
    fallback: '10',
    example: '10',
    check: whole(1, 3600),
  },
  {
    name: 'UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS',
    group: 'Model server',
    doc: 'Seconds within which that server must start to respond; loading a model counts.',
    fallback: '300',
    example: '300',
    check: whole(1, 3600),
  },
  {
    name: 'UPSTREAM_IDLE_TIMEOUT_SECONDS',
    group: 'Model server',
    doc: 'Seconds without data after which a response of that server counts as failed.',
    fallback: '300',
    example: '300',
    check: whole(1, 3600),
  },
  {
    name: 'HTTP_PROXY',
    group: 'Model server',
    doc: 'Proxy for requests to model servers and MCP servers with an `http:` URL, also as `http_proxy`. If unset: none.',
    example: 'http://proxy:3128',
    lowerCase: true,
    // Its scheme may be omitted.
    show: (value) => (value.includes('://') ? withoutUser(value) : value.replace(/^.*@/, '••••@')),
    check: proxyUrl,
  },
  {
    name: 'HTTPS_PROXY',
    group: 'Model server',
    doc: 'Proxy for requests to model servers and MCP servers with an `https:` URL, also as `https_proxy`. If unset: none.',
    example: 'http://proxy:3128',
    lowerCase: true,
    // Its scheme may be omitted.
    show: (value) => (value.includes('://') ? withoutUser(value) : value.replace(/^.*@/, '••••@')),
    check: proxyUrl,
  },
  {
    name: 'NO_PROXY',
    group: 'Model server',
    doc: 'Model servers and MCP servers to reach without a proxy, also as `no_proxy`: hosts, domains (`.example.com`), addresses and networks (`10.0.0.0/8`), separated by commas; `*`: all.',
    example: 'localhost,127.0.0.1,.internal',
    lowerCase: true,
    check: () => undefined,
  },
  {
    name: 'DEMO',
    group: 'Model server',
    doc: 'Demo models: `on` or `off`. If unset: on until `UPSTREAM_URL` is set, or a model of an added upstream gets its first request.',
    example: 'off',
    check: oneOf(['on', 'off']),
  },
  {
    name: 'SMTP_URL',
    group: 'Monitoring',
    doc: 'Mail server that alerts by e-mail are sent through, with its user and password; `smtp://` (STARTTLS where the server offers it) or `smtps://`; requires `SMTP_FROM`. If unset: no e-mail.',
    example: 'smtps://user:…@smtp.example.com',
    secret: true,
    check: url(['smtp:', 'smtps:']),
  },
  {
    name: 'SMTP_FROM',
    group: 'Monitoring',
    doc: 'Sender of alerts by e-mail.',
    example: 'callsmith@example.com',
    check: email,
  },
  {
    name: 'TOOL_CALL_DEBUG_MAX',
    group: 'Monitoring',
    doc: 'Number of recent raw tool calls that `GET /proxy/debug/tool-calls` shows, per process.',
    fallback: '200',
    example: '200',
    check: whole(0, 100_000),
  },
  {
    name: 'STORE_GRACE_SECONDS',
    group: 'Storage',
    doc: 'Seconds to keep serving keys, models and limits from memory while the database (limits: also Redis) is unreachable; then requests are refused.',
    fallback: '600',
    example: '600',
    check: whole(30, 86_400),
  },
  {
    name: 'RESPONSES_DAYS',
    group: 'Storage',
    doc: 'Days to store responses of `/v1/responses`, so that `previous_response_id` works.',
    fallback: '30',
    example: '30',
    check: whole(1, 3650),
  },
  {
    name: 'TOOL_CALL_REPEATS',
    group: 'Tool-call limits',
    doc: 'How many times in a row a model may make the same call with the same result before it counts as a loop. `0`: no loop detection.',
    fallback: '10',
    example: '10',
    check: (value) => (value === '1' ? 'must be 0, or at least 2' : whole(0, 1000)(value)),
  },
  {
    name: 'TOOL_CALL_EXCESS',
    group: 'Tool-call limits',
    doc: "What happens when a conversation loops or reaches a model's limit of tool calls: `refuse` returns an error; `nudge` tells the model and continues (at the limit, without tools).",
    fallback: 'refuse',
    example: 'nudge',
    check: oneOf(['refuse', 'nudge']),
  },
  {
    name: 'AGENT_ROUNDS',
    group: 'Agent mode',
    doc: 'Maximum rounds with tools in one request. Then the model gives its final answer, without tools.',
    fallback: '8',
    example: '8',
    check: whole(1, 100),
  },
  {
    name: 'AGENT_TOOL_SECONDS',
    group: 'Agent mode',
    doc: 'Maximum seconds for one tool call. Then the call is stopped, and the model gets an error as its result.',
    fallback: '60',
    example: '60',
    check: whole(1, 3600),
  },
  {
    name: 'AGENT_SECONDS',
    group: 'Agent mode',
    doc: 'Maximum seconds for all rounds of one request. Then the model gives its final answer, without tools.',
    fallback: '600',
    example: '600',
    check: whole(1, 86_400),
  },
  {
    name: 'AGENT_RESULT_KIB',
    group: 'Agent mode',
    doc: 'Maximum size of a tool result, in Ki characters. The model gets a longer result cut, with a note that says so.',
    fallback: '64',
    example: '64',
    check: whole(1, 16_384),
  },
  {
    name: 'AGENT_TOKENS',
    group: 'Agent mode',
    doc: 'Maximum tokens for all rounds of one request, input and output. Then the model gives its final answer, without tools. `0`: no limit.',
    fallback: '0',
    example: '500000',
    check: whole(0, 1_000_000_000),
  },
  {
    name: 'AGENT_SPEND',
    group: 'Agent mode',
    doc: 'Maximum cost of one request, in whole units of `CURRENCY`, for models with a price. Then the model gives its final answer, without tools. `0`: no limit.',
    fallback: '0',
    example: '2',
    check: whole(0, 1_000_000),
  },
  {
    name: 'ANSWER_TEXT_MIB',
    group: 'Response limits',
    doc: 'Maximum text and reasoning of one response, in Mi characters. A longer response is cut there, with the finish reason `length`.',
    fallback: '8',
    example: '8',
    check: whole(1, 256),
  },
  {
    name: 'ANSWER_ARGUMENTS_MIB',
    group: 'Response limits',
    doc: 'Maximum arguments of native tool calls in one response, in Mi characters. A longer response is cut there, with the finish reason `length`.',
    fallback: '16',
    example: '16',
    check: whole(1, 256),
  },
  {
    name: 'ANSWER_CALLS',
    group: 'Response limits',
    doc: 'Maximum tool calls in one response. A response with more is cut there, with the finish reason `length`.',
    fallback: '1000',
    example: '1000',
    check: whole(1, 100_000),
  },
  {
    name: 'ANSWER_PASSED_MIB',
    group: 'Response limits',
    doc: 'Maximum size of a response that is passed through without being parsed (requests without tools), in MiB of the stream. A longer response is cut there, with the finish reason `length`.',
    fallback: '64',
    example: '64',
    check: whole(1, 4096),
  },
  {
    name: 'CURRENCY',
    group: 'Prices',
    doc: 'Currency of prices, spend and budgets in money, as its ISO 4217 code. Only a label: changing it does not convert amounts.',
    fallback: 'USD',
    example: 'EUR',
    check: (value) => (/^[A-Z]{3}$/.test(value) ? undefined : 'must be three capital letters, like USD'),
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    group: 'Monitoring',
    doc: 'Base URL of an OpenTelemetry collector (OTLP over HTTP) that receives traces and metrics of requests. Other OpenTelemetry variables are read from the environment (docs/telemetry.md). If unset: nothing is sent.',
    example: 'http://collector:4318',
    check: url(['http:', 'https:']),
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    group: 'Monitoring',
    doc: 'Full URL, including the path, that receives traces. If unset: `/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    example: 'http://collector:4318/v1/traces',
    check: url(['http:', 'https:']),
  },
  {
    name: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    group: 'Monitoring',
    doc: 'Full URL, including the path, that receives metrics. If unset: `/v1/metrics` below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    example: 'http://collector:4318/v1/metrics',
    check: url(['http:', 'https:']),
  },
  {
    name: 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
    group: 'Monitoring',
    doc: 'Full URL, including the path, that receives events. If unset: `/v1/logs` below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    example: 'http://collector:4318/v1/logs',
    check: url(['http:', 'https:']),
  },
  {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    group: 'Monitoring',
    doc: 'Protocol of the collector: `http/json` or `http/protobuf`.',
    fallback: 'http/json',
    example: 'http/protobuf',
    check: oneOf(['http/json', 'http/protobuf']),
  },
  {
    name: 'OTEL_TRACES_EXPORTER',
    group: 'Monitoring',
    doc: '`otlp`, or `none` to send no traces even if a collector is set.',
    fallback: 'otlp',
    example: 'none',
    check: oneOf(['otlp', 'none']),
  },
  {
    name: 'OTEL_METRICS_EXPORTER',
    group: 'Monitoring',
    doc: '`otlp`, or `none` to send no metrics even if a collector is set. `/metrics` is always available.',
    fallback: 'otlp',
    example: 'none',
    check: oneOf(['otlp', 'none']),
  },
  {
    name: 'OTEL_LOGS_EXPORTER',
    group: 'Monitoring',
    doc: '`otlp` sends an event with the details of each request, and another one if it failed (docs/telemetry.md). `none`: no events; it is the default because many collectors accept none.',
    fallback: 'none',
    example: 'otlp',
    check: oneOf(['otlp', 'none']),
  },
  {
    name: 'OTEL_SDK_DISABLED',
    group: 'Monitoring',
    doc: '`true` sends no traces, metrics or events.',
    fallback: 'false',
    example: 'true',
    check: oneOf(['true', 'false']),
  },
  {
    name: 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
    group: 'Monitoring',
    doc: '`true`: spans include message content (messages, responses, tools) with secrets masked, for teams whose bodies are stored.',
    fallback: 'false',
    example: 'true',
    check: oneOf(['true', 'false']),
  },
  {
    name: 'OPENINFERENCE',
    group: 'Monitoring',
    doc: "`on`: spans have OpenInference's attributes (`llm.*`) in addition to those of OpenTelemetry (`gen_ai.*`).",
    fallback: 'off',
    example: 'on',
    check: oneOf(['on', 'off']),
  },
];

/**
 * Names that were settings once: they are ignored, with a warning, until the next minor version.
 * @type {Readonly<Record<string, string>>}
 */
const retiredNames = {
  STREAM_SHORT_WAY: 'plain text in streams always takes the fast path now',
};

/** Environment variables with these prefixes belong to Callsmith: an unknown one is an error. */
const OURS = /^(?:UPSTREAM|ADMIN|CALLSMITH)_/;

/**
 * Reads and checks the settings. The environment wins over the file. An empty value counts
 * as unset; but an empty secret in the file is a mistake.
 * @param {{ env: Record<string, string | undefined>, file: Record<string, string | undefined> }} from
 * @returns {import('./settings.mjs').CheckedSettings}
 */
export function checkSettings({ env, file }) {
  /** @type {Record<string, string>} */ const values = {};
  /** @type {import('./settings.mjs').GivenSetting[]} */ const given = [];
  /** @type {import('./settings.mjs').SettingProblem[]} */ const problems = [];
  for (const setting of settings) {
    // Compose files and charts pass every variable on, unset ones as empty.
    const inEnv = valueIn(env, setting)?.trim() || undefined;
    const from = inEnv === undefined ? '.env' : 'environment';
    const value = (inEnv ?? valueIn(file, setting))?.trim();
    if (value === '' && setting.secret && !setting.mayBeEmpty) {
      problems.push({
        name: setting.name,
        from,
        value: '',
        wrong: 'must not be empty: give it a value or leave it out',
      });
    } else if (value) {
      const shown = setting.secret ? mask(value) : (setting.show ?? withoutUser)(value);
      const wrong = setting.check(value);
      if (wrong) problems.push({ name: setting.name, from, value: shown, wrong });
      values[setting.name] = value;
      given.push({ name: setting.name, from, shown });
    } else if (setting.fallback !== undefined) values[setting.name] = setting.fallback;
  }
  return {
    values,
    given,
    problems: [...problems, ...unknownNames(env, file), ...missing(values)],
    retired: retired(env, file),
  };
}

/** A URL without user and password. */
const withoutUser = (value) => value.replace(/\/\/[^/]*@/, '//••••@');

/** A variable that other programs also read in lower case is read by that name first, as curl does. */
function valueIn(source, { name, lowerCase }) {
  return (lowerCase ? source[name.toLowerCase()] || undefined : undefined) ?? source[name];
}

/** What is wrong, as a table for people; each row says where the value came from. @param {readonly import('./settings.mjs').SettingProblem[]} problems */
export function problemTable(problems) {
  const rows = problems.map(({ name, from, value, wrong }) => [name, value === '' ? '' : `"${value}"`, from, wrong]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  const what = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
  return [`${what} invalid:`, ...lines, 'All settings: .env.example'].join('\n');
}

/** A secret as it may be printed; its length does not show. @param {string} value */
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
  if (values.SMTP_URL && !values.SMTP_FROM) needs('SMTP_FROM', 'is required with SMTP_URL');
  if (!values.UPSTREAM_URL) {
    for (const name of ['UPSTREAM_KEY', 'UPSTREAM_KIND', 'UPSTREAM_HEADERS'])
      if (values[name]) needs('UPSTREAM_URL', `is required with ${name}`);
  }
  return problems;
}

function retired(env, file) {
  return Object.entries(retiredNames).flatMap(([name, why]) => {
    if (env[name] === undefined && file[name] === undefined) return [];
    return [{ name, from: env[name] === undefined ? '.env' : 'environment', why }];
  });
}

function unknownNames(env, file) {
  const known = settings.flatMap(({ name, lowerCase }) => (lowerCase ? [name, name.toLowerCase()] : [name]));
  const problems = [];
  const report = (name, from) => {
    if (known.includes(name) || Object.hasOwn(retiredNames, name)) return;
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
      : `must be a whole number from ${least} to ${most}`;
}

function oneOf(words) {
  return (value) => (words.includes(value) ? undefined : `must be one of ${words.join(', ')}`);
}

function url(protocols) {
  const form = `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return (value) => {
    try {
      const { protocol, hostname } = new URL(value);
      return protocols.includes(protocol) && hostname !== '' ? undefined : form;
    } catch {
      return form;
    }
  };
}

/**
 * The headers of UPSTREAM_HEADERS by name, as OTEL_EXPORTER_OTLP_HEADERS is written: `name=value,name=value`, values
 * percent-encoded where they must be.
 * @param {string | undefined} value
 */
export function headersFrom(value) {
  if (value === undefined) return undefined;
  const entries = value.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    entries.map((part) => {
      const [name, ...rest] = part.split('=');
      return [name.trim(), decoded(rest.join('=').trim())];
    }),
  );
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function headerList(value) {
  for (const part of value.split(','))
    if (!part.includes('=')) return 'must be a list like: X-Title=Callsmith,X-Team=tools (a comma in a value is %2C)';
  for (const [name, text] of Object.entries(headersFrom(value))) {
    const ofName = headerNameProblem(name);
    if (ofName) return `has "${name}", which ${ofName}`;
    const ofValue = headerValueProblem(text);
    if (ofValue) return `has "${name}", whose value ${ofValue}`;
  }
  return undefined;
}

function proxyUrl(value) {
  const form = 'must be the URL of an HTTP proxy, like http://proxy:3128';
  return url(['http:', 'https:'])(value.includes('://') ? value : `http://${value}`) && form;
}

function proxies(value) {
  const form = 'must be the number of reverse proxies (e.g. 1) or their addresses (e.g. 10.0.0.0/8, 192.168.1.5)';
  if (/^\d{1,2}$/.test(value)) return undefined;
  const address = (part) => {
    const [host, bits] = part.trim().split('/');
    const family = isIP(host ?? '');
    return family !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)));
  };
  return value.split(',').every(address) ? undefined : form;
}

function groupRoles(value) {
  const form = 'must be a list like: platform=admin, ml=editor:default';
  const entry = /^[^=,]+=(?:admin|(?:editor|viewer):[^=,:]+)$/;
  return value.split(',').every((part) => entry.test(part.trim())) ? undefined : form;
}

function email(value) {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? undefined : 'must be an e-mail address';
}

function token(value) {
  return /^[\x21-\x7e]+$/.test(value)
    ? undefined
    : 'must consist of visible ASCII characters, because it is sent in a header';
}

function secret(least, unit = 'characters') {
  return (value) => {
    if (Buffer.byteLength(value) < least) return `must have at least ${least} ${unit}`;
    if (/^(.)\1*$/u.test(value) || /change.?me|example|your.?(?:secret|key|password)|…/i.test(value))
      return 'must be a secret of your own, not an example';
    return unit === 'bytes' || least === 8 ? undefined : token(value);
  };
}
