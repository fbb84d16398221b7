import { describe, expect, it } from 'vitest';
import { settingsFrom } from './config.ts';
import { checkSettings, mask, problemTable, settings } from './settings.mjs';

const KEY = 'a-key-with-some-length-0123456789';
const check = (env: Record<string, string>, file: Record<string, string> = {}) => checkSettings({ env, file });
const wrong = (env: Record<string, string>, file: Record<string, string> = {}) =>
  check(env, file).problems.map(({ name, wrong }) => `${name} ${wrong}`);

it('needs none of them', () => {
  const { given, problems } = check({});
  expect([given, problems]).toEqual([[], []]);
  expect(settingsFrom(check({}), '/srv/callsmith')).toMatchObject({
    server: { host: '127.0.0.1', port: 4000, publicUrl: undefined, trustProxy: false },
    dataDir: '/srv/callsmith/.callsmith',
    databaseUrl: undefined,
    upstream: undefined,
    demo: undefined,
    toolCallDebugMax: 200,
    graceMs: 600_000,
    responsesDays: 30,
    conversations: { repeats: 10, excess: 'refuse' },
  });
});

it('every setting can be set, and what is wrong with its value is reported', () => {
  for (const { name } of settings)
    for (const value of ['x', '/etc/callsmith/file.json', '1'])
      expect(
        checkSettings({ env: { [name]: value }, file: {} }).problems.every(({ wrong }) => wrong !== ''),
        name,
      ).toBe(true);
});

it('a former setting is ignored, and reported', () => {
  const { values, given, problems, retired } = check({ STREAM_SHORT_WAY: 'off' }, { STREAM_SHORT_WAY: 'no' });
  expect([values.STREAM_SHORT_WAY, given, problems]).toEqual([undefined, [], []]);
  expect(retired).toEqual([{ name: 'STREAM_SHORT_WAY', from: 'environment', why: expect.any(String) }]);
  expect(check({}).retired).toEqual([]);
});

it('the environment wins over the file', () => {
  const { values, given } = check({ PORT: '4001' }, { PORT: '4002', HOST: '0.0.0.0' });
  expect([values.PORT, values.HOST]).toEqual(['4001', '0.0.0.0']);
  expect(given).toEqual([
    { name: 'PORT', from: 'environment', shown: '4001' },
    { name: 'HOST', from: '.env', shown: '0.0.0.0' },
  ]);
});

it('shows none of the secrets', () => {
  const names = settings.filter(({ secret }) => secret).map(({ name }) => name);
  const values: Record<string, string> = Object.fromEntries(names.map((name) => [name, KEY]));
  Object.assign(values, {
    DATABASE_URL: `postgres://u:${KEY}@db/x`,
    REDIS_URL: `redis://:${KEY}@r`,
    UPSTREAM_URL: 'http://gpu',
    SMTP_URL: `smtp://u:${KEY}@mail.example`,
    SMTP_FROM: 'callsmith@mail.example',
  });
  const { given, problems } = check(values);
  expect(problems).toEqual([]);
  expect(JSON.stringify(given)).not.toContain(KEY);
  expect(JSON.stringify(check({ ...values, ADMIN_KEY: 'short-secret' }))).toContain('ADMIN_KEY');
  expect(JSON.stringify(check({ ADMIN_KEY: 'short-secret' }).problems)).not.toContain('short-secret');
});

it('shows no password inside an address', () => {
  const { given } = check({ UPSTREAM_URL: 'http://me:hidden@gpu:8000/v1' });
  expect(given[0]?.shown).toBe('http://••••@gpu:8000/v1');
});

it.each([
  ['PORT', 'eighty', 'PORT must be a whole number from 0 to 65535'],
  ['PORT', '70000', 'PORT must be a whole number from 0 to 65535'],
  ['HOST', 'http://here', 'HOST must be a host name or an address, without http:// and port'],
  ['SMTP_URL', 'mail.example.com', 'SMTP_URL must be a URL that begins with smtp:// or smtps://'],
  ['SMTP_FROM', 'nobody', 'SMTP_FROM must be an e-mail address'],
  ['PUBLIC_URL', 'callsmith.example.com', 'PUBLIC_URL must be a URL that begins with http:// or https://'],
  [
    'TRUST_PROXY',
    'true',
    'TRUST_PROXY must be the number of reverse proxies (e.g. 1) or their addresses (e.g. 10.0.0.0/8, 192.168.1.5)',
  ],
  ['DATABASE_URL', 'mysql://db/x', 'DATABASE_URL must be a URL that begins with postgres:// or postgresql://'],
  ['REDIS_URL', 'localhost:6379', 'REDIS_URL must be a URL that begins with redis:// or rediss://'],
  ['ADMIN_EMAIL', 'me', 'ADMIN_EMAIL must be an e-mail address'],
  ['ADMIN_KEY', 'short', 'ADMIN_KEY must have at least 16 characters'],
  ['API_KEY', 'only-19-characters!', 'API_KEY must have at least 20 characters'],
  [
    'API_KEY',
    'a key with spaces in between',
    'API_KEY must consist of visible ASCII characters, because it is sent in a header',
  ],
  ['UPSTREAM_KIND', 'vlm', 'UPSTREAM_KIND must be one of vllm, sglang, llamacpp, ollama, lmstudio, openai'],
  ['DEMO', 'yes', 'DEMO must be one of on, off'],
  ['TOOL_CALL_DEBUG_MAX', '-1', 'TOOL_CALL_DEBUG_MAX must be a whole number from 0 to 100000'],
  ['RESPONSES_DAYS', '0', 'RESPONSES_DAYS must be a whole number from 1 to 3650'],
  ['TOOL_CALL_REPEATS', '1', 'TOOL_CALL_REPEATS must be 0, or at least 2'],
  ['TOOL_CALL_EXCESS', 'stop', 'TOOL_CALL_EXCESS must be one of refuse, nudge'],
])('%s=%s is refused', (name, value, sentence) => {
  expect(wrong({ [name]: value })).toContain(sentence);
});

describe('invalid secrets', () => {
  it.each(['', '   '])('security 24: an empty one in .env is refused: "%s"', (value) => {
    const { problems } = checkSettings({ env: {}, file: { SECRET_KEY: value } });
    expect(problems.map(({ name, wrong: message }) => `${name} ${message}`)).toEqual([
      'SECRET_KEY must not be empty: give it a value or leave it out',
    ]);
  });
  it.each(['changeme-changeme-changeme-changeme', 'x'.repeat(40), 'your-secret-key-goes-here-0123456789'])(
    'security 24: an example is refused: %s',
    (value) =>
      expect(wrong({ SECRET_KEY: value })).toEqual(['SECRET_KEY must be a secret of your own, not an example']),
  );
  it('D-26 fewer than 32 bytes are refused', () => {
    expect(wrong({ SECRET_KEY: 'k3'.repeat(15) })).toEqual(['SECRET_KEY must have at least 32 bytes']);
  });
});

it('an empty environment variable counts as unset, whatever it is: .env and defaults apply', () => {
  const env = Object.fromEntries(settings.map(({ name }) => [name, ' ']));
  expect(checkSettings({ env, file: {} })).toMatchObject({ problems: [], given: [], values: { PORT: '4000' } });
  const file = { PORT: '5000', ADMIN_KEY: 'an-admin-key-of-tests' };
  expect(checkSettings({ env, file })).toMatchObject({ problems: [], values: file });
});

it('D-26 DATABASE_URL without SECRET_KEY is refused', () => {
  expect(wrong({ DATABASE_URL: 'postgres://db/callsmith' })[0]).toMatch(/^SECRET_KEY is required with DATABASE_URL/);
  expect(wrong({ DATABASE_URL: 'postgres://db/callsmith', SECRET_KEY: KEY })).toEqual([]);
});

it('R-11 a loop’s length, the reaction to it, and how long responses are kept are settings', () => {
  expect(
    settingsFrom(check({ TOOL_CALL_REPEATS: '0', TOOL_CALL_EXCESS: 'nudge' }, { RESPONSES_DAYS: '7' }), '/'),
  ).toMatchObject({ responsesDays: 7, conversations: { repeats: 0, excess: 'nudge' } });
});

it('a key without an upstream is refused', () => {
  expect(wrong({ UPSTREAM_KEY: 'abc' })).toEqual(['UPSTREAM_URL is required with UPSTREAM_KEY']);
  expect(wrong({ UPSTREAM_KEY: '', UPSTREAM_URL: 'http://gpu:8000' })).toEqual([]);
});

describe('single sign-on', () => {
  const OIDC = { OIDC_ISSUER: 'https://login.example.org', OIDC_CLIENT_ID: 'callsmith', OIDC_ROLES: 'ops=admin' };

  it('needs its own address, its name and who may do what', () => {
    expect(wrong({ OIDC_ISSUER: 'https://login.example.org' })).toEqual(
      ['PUBLIC_URL', 'OIDC_CLIENT_ID', 'OIDC_ROLES'].map((name) => `${name} is required with OIDC_ISSUER`),
    );
  });

  it('groups have roles, and teams where the role has one', () => {
    const env = {
      ...OIDC,
      PUBLIC_URL: 'https://gw.example.org',
      OIDC_ROLES: 'ops=admin, ml team=editor:default,all=viewer:default',
    };
    expect(settingsFrom(check(env), '/').oidc?.roles).toEqual([
      { group: 'ops', role: 'admin', team: undefined },
      { group: 'ml team', role: 'editor', team: 'default' },
      { group: 'all', role: 'viewer', team: 'default' },
    ]);
  });

  it.each(['ops', 'ops=root', 'ops=editor', 'ops=admin:default', '=admin', 'ops=admin,'])('refuses "%s"', (roles) => {
    const [problem] = wrong({ ...OIDC, PUBLIC_URL: 'https://gw.example.org', OIDC_ROLES: roles });
    expect(problem).toMatch(/^OIDC_ROLES must be a list like/);
  });
});

describe('unknown names', () => {
  it.each([
    [{}, { PROT: '4000' }, 'PROT is not a setting: did you mean PORT?'],
    [{}, { NODE_ENV: 'production' }, 'NODE_ENV is not a setting'],
    [{ UPSTREAM_URI: 'http://gpu' }, {}, 'UPSTREAM_URI is not a setting: did you mean UPSTREAM_URL?'],
    [{ CALLSMITH_PORT: '1' }, {}, 'CALLSMITH_PORT is not a setting: did you mean PORT?'],
    [{ ADMIN_PASS: 'x' }, {}, 'ADMIN_PASS is not a setting: did you mean ADMIN_PASSWORD?'],
  ] as [Record<string, string>, Record<string, string>, string][])('%o %o', (env, file, sentence) => {
    expect(wrong(env, file)).toEqual([sentence]);
  });

  it('in the environment only Callsmith’s own are checked', () => {
    expect(wrong({ PATH: '/bin', NODE_ENV: 'production', PGHOST: 'x' })).toEqual([]);
  });
});

it('errors are shown as a table', () => {
  expect(problemTable(check({ PORT: 'x', ADMIN_KEY: 'short' }, { PROT: '1' }).problems)).toBe(
    [
      '3 settings are invalid:',
      '  PORT       "x"     environment  must be a whole number from 0 to 65535',
      '  ADMIN_KEY  "••••"  environment  must have at least 16 characters',
      '  PROT               .env         is not a setting: did you mean PORT?',
      'All settings: .env.example',
    ].join('\n'),
  );
});

it.each([
  ['http://gpu:8000', 'http://gpu:8000/v1'],
  ['http://gpu:8000/', 'http://gpu:8000/v1'],
  ['http://gpu:8000/v1/', 'http://gpu:8000/v1'],
  ['https://gpu/serve/v1', 'https://gpu/serve/v1'],
])('UPSTREAM_URL %s means %s', (given, meant) => {
  expect(settingsFrom(check({ UPSTREAM_URL: given }), '/').upstream?.baseUrl).toBe(meant);
});

it.each([
  ['2', 2],
  ['0', false],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
])('TRUST_PROXY %s', (given, meant) => {
  expect(settingsFrom(check({ TRUST_PROXY: given }), '/').server.trustProxy).toEqual(meant);
});

it('a masked secret does not reveal its length', () => {
  expect([mask('12345678'), mask('123456789')]).toEqual(['••••', '••••']);
});

it('the settings cannot be changed after the start', () => {
  expect(() => Object.assign(settingsFrom(check({}), '/').server, { port: 1 })).toThrow(TypeError);
});

it('headers of the upstream are parsed as OTEL_EXPORTER_OTLP_HEADERS is, and only their names are shown', () => {
  const given = check({
    UPSTREAM_URL: 'http://gpu',
    UPSTREAM_HEADERS: 'X-Title=My tools, HTTP-Referer=https://a.example/?b=c%2Cd',
  });
  expect(given.problems).toEqual([]);
  expect(given.given.map(({ shown }) => shown)).toEqual(['http://gpu', 'X-Title=••••, HTTP-Referer=••••']);
  expect(settingsFrom(given, '/').upstream?.headers).toEqual({
    'X-Title': 'My tools',
    'HTTP-Referer': 'https://a.example/?b=c,d',
  });
});

it.each([
  ['UPSTREAM_HEADERS', 'sk-secret', 'must be a list like'],
  ['UPSTREAM_HEADERS', 'Transfer-Encoding=chunked', 'is set by Callsmith itself'],
  ['UPSTREAM_HEADERS', 'X-A=b%0d%0aHost: c', 'whose value must not be empty'],
  ['UPSTREAM_KEY_HEADER', 'Host', 'is set by Callsmith itself'],
  ['UPSTREAM_KEY_HEADER', 'api key', 'must be the name of a header'],
  ['UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS', '0', 'must be a whole number from 1 to 3600'],
  ['HTTPS_PROXY', 'socks5://proxy:1080', 'must be the URL of an HTTP proxy'],
  ['HTTP_PROXY', '://', 'must be the URL of an HTTP proxy'],
])('%s=%s is refused and not shown', (name, value, wrong) => {
  const { problems } = check({ UPSTREAM_URL: 'http://gpu', [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.wrong).toContain(wrong);
  expect(problemTable(problems)).not.toContain('sk-secret');
});

it('the timeouts of the upstream, its key’s header and scheme', () => {
  const given = {
    UPSTREAM_URL: 'https://r.example/openai/deployments/d?api-version=1',
    UPSTREAM_KEY: 'k',
    UPSTREAM_KEY_HEADER: 'api-key',
    UPSTREAM_KEY_SCHEME: 'none',
    UPSTREAM_IDLE_TIMEOUT_SECONDS: '20',
  };
  expect(settingsFrom(check(given), '/').upstream).toEqual({
    baseUrl: 'https://r.example/openai/deployments/d?api-version=1',
    key: 'k',
    kind: undefined,
    keyHeader: 'api-key',
    keyScheme: '',
    headers: undefined,
    connectTimeoutMs: 10_000,
    firstByteTimeoutMs: 300_000,
    idleTimeoutMs: 20_000,
  });
});

it('proxies are set by the usual variables, with lower case first, from .env too', () => {
  const proxies = (env: Record<string, string>, file: Record<string, string> = {}) => {
    const { problems, ...rest } = check(env, file);
    expect(problems).toEqual([]);
    return settingsFrom({ ...rest, problems }, '/').proxies;
  };
  expect(proxies({})).toEqual({ http: undefined, https: undefined, except: undefined });
  expect(proxies({ HTTP_PROXY: 'http://a:1', http_proxy: 'http://b:2', https_proxy: '' })).toMatchObject({
    http: 'http://b:2',
    https: undefined,
  });
  expect(proxies({}, { https_proxy: 'proxy:3128', NO_PROXY: '*' })).toMatchObject({ https: 'proxy:3128', except: '*' });
  expect(check({ HTTPS_PROXY: 'http://me:hidden@proxy:3128' }).given[0]?.shown).toBe('http://••••@proxy:3128');
  expect(check({ HTTPS_PROXY: 'me:hidden@proxy:3128' }).given[0]?.shown).toBe('••••@proxy:3128');
});

it('traces and metrics go where OpenTelemetry’s variables say, or nowhere, and events only if enabled', () => {
  const telemetry = (env: Record<string, string>) => {
    const { tracesUrl, metricsUrl } = settingsFrom(check(env), '/').telemetry;
    return [tracesUrl, metricsUrl];
  };
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' };
  const both = ['http://c:4318/v1/traces', 'http://c:4318/v1/metrics'];
  expect(telemetry({})).toEqual([undefined, undefined]);
  expect(telemetry(base)).toEqual(both);
  expect(telemetry({ ...base, OTEL_SDK_DISABLED: 'true' })).toEqual([undefined, undefined]);
  expect(telemetry({ ...base, OTEL_METRICS_EXPORTER: 'none' })).toEqual([both[0], undefined]);
  expect(telemetry({ ...base, OTEL_TRACES_EXPORTER: 'none' })).toEqual([undefined, both[1]]);
  expect(telemetry({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' })).toEqual(['http://t/x', undefined]);
  const events = (env: Record<string, string>) => settingsFrom(check(env), '/').telemetry.eventsUrl;
  expect([events({}), events(base), events({ OTEL_LOGS_EXPORTER: 'otlp' })]).toEqual([undefined, undefined, undefined]);
  expect(events({ ...base, OTEL_LOGS_EXPORTER: 'otlp' })).toBe('http://c:4318/v1/logs');
  expect(events({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://l/x', OTEL_LOGS_EXPORTER: 'otlp' })).toBe('http://l/x');
  expect(check({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).problems).toMatchObject([
    { wrong: 'must be one of http/json, http/protobuf' },
  ]);
});
