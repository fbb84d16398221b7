/** What a client has to know: where, with which key, for which model. */
export interface Connection {
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly secret: string;
  readonly model: string;
  /** Tokens; null where nobody knows. */
  readonly contextLength: number | null;
}

/** How one client is set up: values to type, or a text to paste. */
export interface Setup {
  readonly name: string;
  /** Where the values go, in one sentence. */
  readonly where: string;
  readonly fields: readonly { readonly label: string; readonly value: string }[];
  readonly paste?: { readonly label: string; readonly text: string };
  readonly note?: string;
}

const defaultContext = 32_768;

/** The set-up of each client that we know, in the order of use. */
export const setupsFor = (to: Connection): readonly Setup[] => [
  cline(to),
  clineCli(to),
  claudeCode(to),
  kilo(to),
  cursor(to),
  continueDev(to),
  opencode(to),
  codex(to),
  qwenCode(to),
  geminiCli(to),
  roo(to),
  sdks(to),
  anthropicSdks(to),
  googleSdks(to),
  aiSdk(to),
  langchain(to),
];

/** The base URL with exactly one `/v1` at its end. */
export const withV1 = (url: string): string => `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;

const contextOf = (to: Connection) => to.contextLength ?? defaultContext;
const outputOf = (to: Connection) => Math.min(8192, Math.floor(contextOf(to) / 4));
const json = (value: unknown) => JSON.stringify(value, null, 2);
const quoted = (text: string) => JSON.stringify(text);
const shell = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const unknownContext = (to: Connection) =>
  to.contextLength === null
    ? { note: `The upstream does not report its context window; ${defaultContext} is a conservative guess.` }
    : {};

const typed = (to: Connection, names: readonly [key: string, context: string]) => [
  { label: 'Base URL', value: to.baseUrl },
  { label: names[0], value: to.secret },
  { label: 'Model ID', value: to.model },
  { label: names[1], value: String(contextOf(to)) },
];

const cline = (to: Connection): Setup => ({
  name: 'Cline',
  where: 'In Cline’s settings, under API Configuration.',
  fields: [
    { label: 'API Provider', value: 'OpenAI Compatible' },
    ...typed(to, ['OpenAI Compatible API Key', 'Context Window Size (under Model Configuration)']),
  ],
  ...unknownContext(to),
});

const clineCli = (to: Connection): Setup => ({
  name: 'Cline CLI',
  where: 'Run once in a terminal.',
  fields: [],
  paste: {
    label: 'Commands',
    text: [
      `cline auth -p openai-compatible -k ${shell(to.secret)} -m ${shell(to.model)} -b ${shell(to.baseUrl)}`,
      `cline -P openai-compatible -m ${shell(to.model)} "Say hello"`,
    ].join('\n'),
  },
});

const claudeCode = (to: Connection): Setup => ({
  name: 'Claude Code',
  where: 'In the environment of the terminal where you start it. Its base URL is without /v1.',
  fields: [],
  paste: {
    label: 'Environment',
    text: [
      `export ANTHROPIC_BASE_URL=${shell(to.baseUrl.replace(/\/v1$/, ''))}`,
      `export ANTHROPIC_AUTH_TOKEN=${shell(to.secret)}`,
      ...['MODEL', 'DEFAULT_OPUS_MODEL', 'DEFAULT_SONNET_MODEL', 'DEFAULT_HAIKU_MODEL'].map(
        (name) => `export ANTHROPIC_${name}=${shell(to.model)}`,
      ),
      `export CLAUDE_CODE_SUBAGENT_MODEL=${shell(to.model)}`,
      `export CLAUDE_CODE_AUTO_COMPACT_WINDOW=${contextOf(to)}`,
      `export CLAUDE_CODE_MAX_OUTPUT_TOKENS=${outputOf(to)}`,
      'unset ANTHROPIC_API_KEY',
      'claude',
    ].join('\n'),
  },
  note: `Claude Code assumes a context of a million tokens for models that it does not know, so the context window must be set.${
    to.contextLength === null ? ` The upstream does not report it; ${defaultContext} is a conservative guess.` : ''
  }`,
});

const geminiCli = (to: Connection): Setup => ({
  name: 'Gemini CLI',
  where:
    'In the environment of the terminal where you start it; choose “Use Gemini API Key” where it asks. Its base URL is without /v1.',
  fields: [],
  paste: {
    label: 'Environment',
    text: [
      `export GOOGLE_GEMINI_BASE_URL=${shell(to.baseUrl.replace(/\/v1$/, ''))}`,
      `export GEMINI_API_KEY=${shell(to.secret)}`,
      `gemini -m ${shell(to.model)}`,
    ].join('\n'),
  },
});

const openCodeConfig = (to: Connection) => ({
  model: `callsmith/${to.model}`,
  provider: {
    callsmith: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Callsmith',
      options: { baseURL: to.baseUrl, apiKey: to.secret },
      models: {
        [to.model]: { name: to.model, tool_call: true, limit: { context: contextOf(to), output: outputOf(to) } },
      },
    },
  },
});

const kilo = (to: Connection): Setup => ({
  name: 'Kilo',
  where:
    'In VS Code: provider “OpenAI Compatible” with these values. For the Kilo CLI: kilo.json in the project folder.',
  fields: typed(to, ['API Key', 'Context Window Size']),
  paste: { label: 'kilo.json', text: json(openCodeConfig(to)) },
  ...unknownContext(to),
});

const cursor = (to: Connection): Setup => ({
  name: 'Cursor',
  where: 'In Cursor Settings, under Models: add the model, then set the OpenAI key and override its base URL.',
  fields: [
    { label: 'Model name', value: to.model },
    { label: 'OpenAI API Key', value: to.secret },
    { label: 'Override OpenAI Base URL', value: to.baseUrl },
  ],
  note: 'Cursor sends requests from its own servers: the base URL must be reachable from the internet over HTTPS.',
});

const continueDev = (to: Connection): Setup => ({
  name: 'Continue',
  where: 'In ~/.continue/config.yaml.',
  fields: [],
  paste: {
    label: 'config.yaml',
    text: `name: Callsmith
version: 1.0.0
schema: v1
models:
  - name: ${quoted(to.model)}
    provider: openai
    model: ${quoted(to.model)}
    apiBase: ${quoted(to.baseUrl)}
    apiKey: ${quoted(to.secret)}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
    defaultCompletionOptions:
      contextLength: ${contextOf(to)}
      maxTokens: ${outputOf(to)}
`,
  },
});

const opencode = (to: Connection): Setup => ({
  name: 'opencode',
  where: 'In opencode.json, in the project folder or in ~/.config/opencode.',
  fields: [],
  paste: {
    label: 'opencode.json',
    text: json({ $schema: 'https://opencode.ai/config.json', ...openCodeConfig(to) }),
  },
});

const codex = (to: Connection): Setup => ({
  name: 'Codex',
  where: 'In ~/.codex/config.toml, with the key in the environment. Codex uses /v1/responses only.',
  fields: [{ label: 'Environment', value: `export CALLSMITH_KEY=${shell(to.secret)}` }],
  paste: {
    label: 'config.toml',
    text: `model = ${quoted(to.model)}
model_provider = "callsmith"
model_context_window = ${contextOf(to)}

[model_providers.callsmith]
name = "Callsmith"
base_url = ${quoted(to.baseUrl)}
env_key = "CALLSMITH_KEY"
wire_api = "responses"
`,
  },
});

const qwenCode = (to: Connection): Setup => ({
  name: 'Qwen Code',
  where: 'In the environment of the terminal where you start it.',
  fields: [],
  paste: {
    label: 'Environment',
    text: [
      `export OPENAI_BASE_URL=${shell(to.baseUrl)}`,
      `export OPENAI_API_KEY=${shell(to.secret)}`,
      `export OPENAI_MODEL=${shell(to.model)}`,
      'qwen --auth-type openai',
    ].join('\n'),
  },
});

const roo = (to: Connection): Setup => ({
  name: 'Roo',
  where: 'In Roo’s settings, under Providers.',
  fields: [{ label: 'API Provider', value: 'OpenAI Compatible' }, ...typed(to, ['API Key', 'Context Window Size'])],
  ...unknownContext(to),
});

const sdks = (to: Connection): Setup => ({
  name: 'OpenAI SDKs',
  where: 'Any OpenAI SDK, or curl.',
  fields: [
    { label: 'Base URL', value: to.baseUrl },
    { label: 'API key', value: to.secret },
    { label: 'Model', value: to.model },
  ],
  paste: {
    label: 'curl',
    text: `curl ${shell(`${to.baseUrl}/chat/completions`)} \\
  -H ${shell(`Authorization: Bearer ${to.secret}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shell(JSON.stringify({ model: to.model, messages: [{ role: 'user', content: 'Say hello' }] }))}`,
  },
});

const anthropicSdks = (to: Connection): Setup => ({
  name: 'Anthropic SDKs',
  where: 'Any Anthropic SDK. Its base URL is without /v1.',
  fields: [
    { label: 'Base URL', value: to.baseUrl.replace(/\/v1$/, '') },
    { label: 'API key', value: to.secret },
    { label: 'Model', value: to.model },
  ],
  paste: {
    label: 'TypeScript',
    text: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${quoted(to.baseUrl.replace(/\/v1$/, ''))}, apiKey: ${quoted(to.secret)} });
const message = await client.messages.create({
  model: ${quoted(to.model)},
  max_tokens: ${outputOf(to)},
  messages: [{ role: 'user', content: 'Say hello' }],
});
`,
  },
});

const googleSdks = (to: Connection): Setup => ({
  name: 'Google Gen AI SDKs',
  where: 'Any Google Gen AI SDK. Its base URL is without /v1.',
  fields: [
    { label: 'Base URL', value: to.baseUrl.replace(/\/v1$/, '') },
    { label: 'API key', value: to.secret },
    { label: 'Model', value: to.model },
  ],
  paste: {
    label: 'TypeScript',
    text: `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: ${quoted(to.secret)},
  httpOptions: { baseUrl: ${quoted(to.baseUrl.replace(/\/v1$/, ''))} },
});
const { text } = await client.models.generateContent({ model: ${quoted(to.model)}, contents: 'Say hello' });
`,
  },
});

const aiSdk = (to: Connection): Setup => ({
  name: 'AI SDK',
  where: 'The AI SDK of Vercel, with its provider for compatible APIs.',
  fields: [],
  paste: {
    label: 'TypeScript',
    text: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const callsmith = createOpenAICompatible({
  name: 'callsmith',
  baseURL: ${quoted(to.baseUrl)},
  apiKey: ${quoted(to.secret)},
});
const { text } = await generateText({ model: callsmith(${quoted(to.model)}), prompt: 'Say hello' });
`,
  },
});

const langchain = (to: Connection): Setup => ({
  name: 'LangChain',
  where: 'LangChain for JavaScript; for Python the same values are base_url, api_key and model of ChatOpenAI.',
  fields: [],
  paste: {
    label: 'TypeScript',
    text: `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${quoted(to.model)},
  apiKey: ${quoted(to.secret)},
  configuration: { baseURL: ${quoted(to.baseUrl)} },
});
const answer = await model.invoke('Say hello');
`,
  },
});
