import { isAbsolute, join, resolve } from 'node:path';
import { type Role, wholeBaseUrl } from '@callsmith/contracts';
import type { UpstreamKind } from '@callsmith/turn';
import { type CheckedSettings, type GivenSetting, headersFrom, type RetiredSetting } from './settings.mjs';

/** The checked settings, before the stores are available. */
export interface Settings {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Without a trailing slash; undefined: the request's own address. */
    readonly publicUrl: string | undefined;
    /** False: none; a number of trusted proxies; or their addresses. */
    readonly trustProxy: false | number | readonly string[];
    readonly bodyLimitBytes: number;
    /** Processes that share the port. */
    readonly workers: number;
  };
  /**
   * How a stop works: how long `/readyz` announces it before connections are refused, and how long running requests may
   * take.
   */
  readonly drain: { readonly delayMs: number; readonly requestsMs: number };
  /** Absolute. */
  readonly dataDir: string;
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Absolute; undefined: none. */
  readonly configFile: string | undefined;
  /** Undefined: the one stored in `dataDir`. */
  readonly secretKey: string | undefined;
  /** The former SECRET_KEY, while it is being changed. */
  readonly previousSecretKey: string | undefined;
  readonly admin: {
    readonly email: string;
    /** Undefined: generated on the first start. */
    readonly password: string | undefined;
    readonly key: string | undefined;
  };
  /** Registered for the default team. */
  readonly apiKey: string | undefined;
  /** Address of the gateway that commands use, without a trailing slash; undefined: this installation's own. */
  readonly commandUrl: string | undefined;
  readonly metricsToken: string | undefined;
  /** Undefined: no single sign-on. */
  readonly oidc: OidcSettings | undefined;
  readonly toolCallDebugMax: number;
  /** The server that sends e-mail, and the sender; undefined: no e-mail. */
  readonly mail: { readonly url: string; readonly from: string } | undefined;
  /** ISO 4217, of prices and budgets. */
  readonly currency: string;
  /** How long requests are served from memory while the database is unreachable. */
  readonly graceMs: number;
  /** How long responses of `/v1/responses` are stored. */
  readonly responsesDays: number;
  readonly conversations: ConversationSettings;
  /**
   * How much of a response is read: characters of text and of arguments, calls, and bytes of one that passes through.
   */
  readonly answers: {
    readonly text: number;
    readonly arguments: number;
    readonly calls: number;
    readonly frames: number;
  };
  readonly agent: AgentSettings;
  /** MCP servers that are programs on this host. */
  readonly mcpServersFile: string | undefined;
  readonly telemetry: TelemetrySettings;
  readonly upstream: UpstreamSettings | undefined;
  /** The proxies for requests to upstreams. */
  readonly proxies: ProxySettings;
  /** Undefined: on until a real upstream exists. */
  readonly demo: boolean | undefined;
  /** The settings that were given, secrets masked. */
  readonly given: readonly GivenSetting[];
  /** The given settings that no longer exist. */
  readonly retired: readonly RetiredSetting[];
}

/** When a conversation goes too far, and the reaction. */
export interface ConversationSettings {
  /** This many equal calls with equal results in a row are a loop; 0: no detection. */
  readonly repeats: number;
  /** `refuse`: with an error; `nudge`: the model gets a message. */
  readonly excess: 'refuse' | 'nudge';
}

/** What is sent to OpenTelemetry collectors, by OTLP over HTTP. */
export interface TelemetrySettings {
  /** Where traces go, with the path; undefined: there are none. */
  readonly tracesUrl: string | undefined;
  /** As `tracesUrl`, of metrics. */
  readonly metricsUrl: string | undefined;
  /** As `tracesUrl`, of events, which are sent only if enabled. */
  readonly eventsUrl: string | undefined;
  readonly protocol: 'http/json' | 'http/protobuf';
  /** Spans contain message content. */
  readonly content: boolean;
  /** Spans have OpenInference's attributes as well. */
  readonly openInference: boolean;
}

/** The limits of agent mode in one request (L-5). */
export interface AgentSettings {
  /** Maximum model requests with tools. */
  readonly rounds: number;
  /** Maximum time of one tool. */
  readonly toolMs: number;
  /** Maximum time of all rounds. */
  readonly totalMs: number;
  /** Maximum UTF-16 units of one result for the model. */
  readonly resultLength: number;
  /** Tokens of all rounds; 0: no limit. */
  readonly tokens: number;
  /** Millionths of the currency; 0: no limit. */
  readonly spend: number;
}

/** How to sign in with an OpenID Connect provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client. */
  readonly clientSecret: string | undefined;
  readonly groupsClaim: string;
  /** In the order they were given. */
  readonly roles: readonly GroupRole[];
}

/** The role of a group's members. */
export interface GroupRole {
  readonly group: string;
  readonly role: Role;
  /** Name of the team; undefined for admins. */
  readonly team: string | undefined;
}

/** The upstream `env`. */
export interface UpstreamSettings {
  /** In its normalized form: see `wholeBaseUrl`. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Undefined: detected automatically. */
  readonly kind: UpstreamKind | undefined;
  /** Undefined: `Authorization`. */
  readonly keyHeader: string | undefined;
  /** Empty: none; undefined: `Bearer` in `Authorization`, none elsewhere. */
  readonly keyScheme: string | undefined;
  /** Undefined: none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** The values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly except: string | undefined;
}

/** The configuration of the running product: the settings, and the stores that the start created or found. */
export interface Config extends Settings {
  readonly databaseUrl: string;
  readonly secretKey: string;
  /** The address of this process's demo model server; undefined: none. */
  readonly demoUrl?: string | undefined;
  /** Folder of this installation: it contains `prisma/migrations` and the dashboard's build. */
  readonly root: string;
}

/** 32 MiB: enough for a long conversation with images. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

const MIB = 1024 * 1024;

/** Gives checked settings their types; `root` is what a relative DATA_DIR is relative to. */
export function settingsFrom({ values, given, retired }: CheckedSettings, root: string): Settings {
  const text = (name: string) => values[name] ?? '';
  const baseUrl = values.UPSTREAM_URL;
  return freeze({
    server: {
      host: text('HOST'),
      port: Number(text('PORT')),
      publicUrl: values.PUBLIC_URL?.replace(/\/+$/, ''),
      trustProxy: trustProxy(values.TRUST_PROXY),
      bodyLimitBytes: BODY_LIMIT_BYTES,
      workers: Number(text('WORKERS')),
    },
    drain: { delayMs: drainDelayMs(values.DRAIN_DELAY_SECONDS), requestsMs: Number(text('DRAIN_SECONDS')) * 1000 },
    dataDir: isAbsolute(text('DATA_DIR')) ? text('DATA_DIR') : join(root, text('DATA_DIR')),
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    configFile: values.CONFIG_FILE === undefined ? undefined : resolve(root, values.CONFIG_FILE),
    secretKey: values.SECRET_KEY,
    previousSecretKey: values.SECRET_KEY_PREVIOUS,
    admin: { email: text('ADMIN_EMAIL').toLowerCase(), password: values.ADMIN_PASSWORD, key: values.ADMIN_KEY },
    apiKey: values.API_KEY,
    commandUrl: values.CALLSMITH_URL?.replace(/\/+$/, ''),
    metricsToken: values.METRICS_TOKEN,
    oidc: oidc(values),
    toolCallDebugMax: Number(text('TOOL_CALL_DEBUG_MAX')),
    mcpServersFile: values.MCP_SERVERS_FILE,
    mail: values.SMTP_URL === undefined ? undefined : { url: values.SMTP_URL, from: text('SMTP_FROM') },
    currency: text('CURRENCY'),
    graceMs: Number(text('STORE_GRACE_SECONDS')) * 1000,
    responsesDays: Number(text('RESPONSES_DAYS')),
    answers: {
      text: Number(text('ANSWER_TEXT_MIB')) * MIB,
      arguments: Number(text('ANSWER_ARGUMENTS_MIB')) * MIB,
      calls: Number(text('ANSWER_CALLS')),
      frames: Number(text('ANSWER_PASSED_MIB')) * MIB,
    },
    agent: {
      rounds: Number(text('AGENT_ROUNDS')),
      toolMs: Number(text('AGENT_TOOL_SECONDS')) * 1000,
      totalMs: Number(text('AGENT_SECONDS')) * 1000,
      resultLength: Number(text('AGENT_RESULT_KIB')) * 1024,
      tokens: Number(text('AGENT_TOKENS')),
      spend: Number(text('AGENT_SPEND')) * 1_000_000,
    },
    conversations: {
      repeats: Number(text('TOOL_CALL_REPEATS')),
      excess: text('TOOL_CALL_EXCESS') as ConversationSettings['excess'],
    },
    telemetry: telemetry(values),
    upstream: baseUrl
      ? {
          baseUrl: wholeBaseUrl(baseUrl),
          key: values.UPSTREAM_KEY,
          kind: values.UPSTREAM_KIND as UpstreamKind | undefined,
          keyHeader: values.UPSTREAM_KEY_HEADER,
          // `none` means none; an empty value counts as unset.
          keyScheme: values.UPSTREAM_KEY_SCHEME === 'none' ? '' : values.UPSTREAM_KEY_SCHEME,
          headers: headersFrom(values.UPSTREAM_HEADERS),
          connectTimeoutMs: Number(text('UPSTREAM_CONNECT_TIMEOUT_SECONDS')) * 1000,
          firstByteTimeoutMs: Number(text('UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS')) * 1000,
          idleTimeoutMs: Number(text('UPSTREAM_IDLE_TIMEOUT_SECONDS')) * 1000,
        }
      : undefined,
    proxies: { http: values.HTTP_PROXY, https: values.HTTPS_PROXY, except: values.NO_PROXY },
    demo: values.DEMO === undefined ? undefined : values.DEMO === 'on',
    given,
    retired,
  });
}

/** Kubernetes removes a pod from its services a moment after it signals the stop. */
function drainDelayMs(seconds: string | undefined): number {
  if (seconds !== undefined) return Number(seconds) * 1000;
  return process.env.KUBERNETES_SERVICE_HOST ? 5_000 : 0;
}

function telemetry(values: Readonly<Record<string, string>>): TelemetrySettings {
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  const urlOf = (signal: 'traces' | 'metrics' | 'logs'): string | undefined => {
    const name = signal.toUpperCase();
    if (values.OTEL_SDK_DISABLED === 'true' || values[`OTEL_${name}_EXPORTER`] === 'none') return undefined;
    return values[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`] ?? (base && `${base}/v1/${signal}`);
  };
  return {
    tracesUrl: urlOf('traces'),
    metricsUrl: urlOf('metrics'),
    eventsUrl: urlOf('logs'),
    protocol: values.OTEL_EXPORTER_OTLP_PROTOCOL as TelemetrySettings['protocol'],
    content: values.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === 'true',
    openInference: values.OPENINFERENCE === 'on',
  };
}

function oidc(values: Readonly<Record<string, string>>): OidcSettings | undefined {
  if (values.OIDC_ISSUER === undefined) return undefined;
  return {
    issuer: values.OIDC_ISSUER,
    clientId: values.OIDC_CLIENT_ID ?? '',
    clientSecret: values.OIDC_CLIENT_SECRET,
    groupsClaim: values.OIDC_GROUPS_CLAIM ?? '',
    roles: (values.OIDC_ROLES ?? '').split(',').map(groupRole),
  };
}

/** `ml=editor:default` */
function groupRole(text: string): GroupRole {
  const [group = '', right = ''] = text.split('=');
  const [role, team] = right.trim().split(':');
  return { group: group.trim(), role: role as GroupRole['role'], team: team?.trim() };
}

function trustProxy(value: string | undefined): false | number | readonly string[] {
  if (value === undefined || value === '0') return false;
  return /^\d+$/.test(value) ? Number(value) : value.split(',').map((address) => address.trim());
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part);
  return Object.freeze(value);
}
