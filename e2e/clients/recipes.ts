import { join } from 'node:path';

/** One run of one client: where it is installed, where it works, and which server it uses. */
export interface Job {
  /** Folder it is installed in. */
  readonly install: string;
  /** The workspace it may read and write. */
  readonly work: string;
  /** A private HOME. */
  readonly home: string;
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  readonly timeoutSeconds: number;
  /** Tokens. */
  readonly context: number;
  /** Tokens. */
  readonly maxTokens: number;
}

/** Files to write and commands to run in order. The last command is the client's real run. */
export interface Plan {
  /** Absolute path to content. */
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly commands: readonly (readonly string[])[];
}

const bin = (job: Job, name: string) => join(job.install, 'node_modules', '.bin', name);
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Cline CLI 3, provider `openai-compatible`: the only one that takes a base URL for chat completions. */
function cline(job: Job): Plan {
  const at = bin(job, 'cline');
  const provider = 'openai-compatible';
  return {
    files: {},
    env: { CLINE_NO_AUTO_UPDATE: '1' },
    commands: [
      [at, 'auth', '-p', provider, '-k', job.apiKey, '-m', job.model, '-b', job.baseUrl],
      [
        at,
        '--json',
        '--auto-approve',
        'true',
        '-c',
        job.work,
        '-P',
        provider,
        '-m',
        job.model,
        '-t',
        String(job.timeoutSeconds),
        job.prompt,
      ],
    ],
  };
}

/** The core of the classic Cline extension; updates itself globally unless disabled. */
function clineClassic(job: Job): Plan {
  const at = bin(job, 'cline');
  const config = join(job.home, '.cline');
  return {
    files: {},
    env: { CLINE_NO_AUTO_UPDATE: '1' },
    commands: [
      [at, 'auth', '-p', 'openai', '-k', job.apiKey, '-m', job.model, '-b', job.baseUrl, '--config', config],
      [at, '-y', '--json', '--config', config, '-c', job.work, '-t', String(job.timeoutSeconds), job.prompt],
    ],
  };
}

/** Claude Code appends /v1 itself. It refuses to skip permissions as root, so each tool is allowed by name. */
function claudeCode(job: Job): Plan {
  const models = ['MODEL', 'DEFAULT_OPUS_MODEL', 'DEFAULT_SONNET_MODEL', 'DEFAULT_HAIKU_MODEL'];
  return {
    files: {},
    env: {
      ANTHROPIC_BASE_URL: job.baseUrl.replace(/\/v1$/, ''),
      ANTHROPIC_AUTH_TOKEN: job.apiKey,
      ...Object.fromEntries(models.map((name) => [`ANTHROPIC_${name}`, job.model])),
      CLAUDE_CODE_SUBAGENT_MODEL: job.model,
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(job.context),
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(job.maxTokens),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    commands: [
      [
        ...[bin(job, 'claude'), '-p', job.prompt, '--output-format', 'stream-json', '--verbose'],
        ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Read', 'Write', 'Edit', 'Bash'],
      ],
    ],
  };
}

/** opencode's configuration; Kilo is a fork of it and accepts the same. */
const opencodeConfig = (job: Job) => ({
  autoupdate: false,
  share: 'disabled',
  model: `gw/${job.model}`,
  small_model: `gw/${job.model}`,
  enabled_providers: ['gw'],
  provider: {
    gw: {
      npm: '@ai-sdk/openai-compatible',
      name: 'gateway',
      options: { baseURL: job.baseUrl, apiKey: job.apiKey },
      models: {
        [job.model]: { name: job.model, tool_call: true, limit: { context: job.context, output: job.maxTokens } },
      },
    },
  },
  permission: { edit: 'allow', bash: 'allow', webfetch: 'allow' },
});

const opencode = (job: Job): Plan =>
  opencodePlan(job, 'opencode', { $schema: 'https://opencode.ai/config.json', ...opencodeConfig(job) });

const kilo = (job: Job): Plan => opencodePlan(job, 'kilo', opencodeConfig(job));

/** opencode or its fork, with their configuration in the workspace. */
const opencodePlan = (job: Job, name: 'opencode' | 'kilo', config: object): Plan => ({
  files: { [join(job.work, `${name}.json`)]: json(config) },
  env: flags(name.toUpperCase(), [
    'DISABLE_AUTOUPDATE',
    'DISABLE_MODELS_FETCH',
    'DISABLE_LSP_DOWNLOAD',
    'DISABLE_DEFAULT_PLUGINS',
  ]),
  commands: [
    [
      bin(job, name),
      'run',
      '--pure',
      '--auto',
      '--format',
      'json',
      '-m',
      `gw/${job.model}`,
      '--dir',
      job.work,
      job.prompt,
    ],
  ],
});

const flags = (prefix: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${prefix}_${name}`, '1']));

/** Codex supports /v1/responses only. */
function codex(job: Job): Plan {
  const home = join(job.home, '.codex');
  const config = [
    `model = ${JSON.stringify(job.model)}`,
    'model_provider = "gw"',
    `model_context_window = ${job.context}`,
    '[model_providers.gw]',
    'name = "gw"',
    `base_url = ${JSON.stringify(job.baseUrl)}`,
    'env_key = "GATEWAY_KEY"',
    'wire_api = "responses"',
    '[analytics]',
    'enabled = false',
    '',
  ].join('\n');
  return {
    files: { [join(home, 'config.toml')]: config },
    env: { CODEX_HOME: home, GATEWAY_KEY: job.apiKey },
    commands: [
      [
        bin(job, 'codex'),
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        '-C',
        job.work,
        job.prompt,
      ],
    ],
  };
}

// Qwen Code uses a configured proxy even for loopback, regardless of NO_PROXY.
const noProxy = { HTTPS_PROXY: '' };

function qwen(job: Job): Plan {
  const settings = {
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
    security: { auth: { selectedType: 'openai' } },
    model: { name: job.model, generationConfig: { samplingParams: { max_tokens: job.maxTokens } } },
  };
  return {
    files: { [join(job.home, '.qwen', 'settings.json')]: json(settings) },
    env: {
      OPENAI_API_KEY: job.apiKey,
      OPENAI_BASE_URL: job.baseUrl,
      OPENAI_MODEL: job.model,
      QWEN_SANDBOX: 'false',
      ...noProxy,
    },
    commands: [
      [
        ...[
          bin(job, 'qwen'),
          '--yolo',
          '--auth-type',
          'openai',
          '--openai-api-key',
          job.apiKey,
          '--openai-base-url',
          job.baseUrl,
        ],
        ...['-m', job.model, '-o', 'stream-json', job.prompt],
      ],
    ],
  };
}

/** Gemini CLI asks for an authentication method unless its settings name one. */
const gemini = (job: Job): Plan => ({
  files: {
    [join(job.home, '.gemini', 'settings.json')]: json({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
    }),
  },
  env: {
    GOOGLE_GEMINI_BASE_URL: job.baseUrl.replace(/\/v1$/, ''),
    GEMINI_API_KEY: job.apiKey,
    ...noProxy,
  },
  commands: [[bin(job, 'gemini'), '--yolo', '--skip-trust', '-m', job.model, '-p', job.prompt]],
});

function continueCli(job: Job): Plan {
  const config = join(job.home, 'config.yaml');
  const yaml = [
    'name: gw',
    'version: 1.0.0',
    'schema: v1',
    'models:',
    '  - name: M',
    '    provider: openai',
    `    model: ${JSON.stringify(job.model)}`,
    `    apiBase: ${job.baseUrl}`,
    `    apiKey: ${job.apiKey}`,
    '    roles: [chat]',
    '    capabilities: [tool_use]',
    '    defaultCompletionOptions:',
    `      contextLength: ${job.context}`,
    `      maxTokens: ${job.maxTokens}`,
    '',
  ].join('\n');
  return {
    files: { [config]: yaml },
    env: {
      CONTINUE_TELEMETRY_ENABLED: '0',
      CONTINUE_CLI_ENABLE_TELEMETRY: '0',
      CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0',
    },
    commands: [[bin(job, 'cn'), '-p', '--auto', '--config', config, job.prompt]],
  };
}

/** A client library: a small agent around it, run from where the library is installed. */
const library =
  (agent: string, command: (job: Job) => string = () => process.execPath) =>
  (job: Job): Plan => ({
    files: {},
    env: {
      AGENT_BASE_URL: job.baseUrl,
      AGENT_API_KEY: job.apiKey,
      AGENT_MODEL: job.model,
      AGENT_PROMPT: job.prompt,
      AGENT_MAX_TOKENS: String(job.maxTokens),
    },
    commands: [[command(job), join(job.install, agent)]],
  });

/** How each client of `clients.json` is configured and run without a terminal. */
export const recipes: Readonly<Record<string, (job: Job) => Plan>> = {
  cline,
  'cline-classic-native': clineClassic,
  'cline-classic-xml': clineClassic,
  'claude-code': claudeCode,
  opencode,
  kilo,
  codex,
  qwen,
  gemini,
  continue: continueCli,
  'openai-node': library('openai-node.mjs'),
  'openai-node-responses': library('openai-node-responses.mjs'),
  'openai-python': library('openai_python.py', (job) => join(job.install, 'venv', 'bin', 'python')),
  'anthropic-node': library('anthropic-node.mjs'),
  'anthropic-python': library('anthropic_python.py', (job) => join(job.install, 'venv', 'bin', 'python')),
  'google-node': library('google-node.mjs'),
  'google-python': library('google_python.py', (job) => join(job.install, 'venv', 'bin', 'python')),
  'ai-sdk': library('ai-sdk.mjs'),
  'ai-sdk-openai': library('ai-sdk-openai.mjs'),
  langchain: library('langchain.mjs'),
  agents: library('agents.mjs'),
};
