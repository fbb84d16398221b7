/** One measurement: the same work for every peer. */
export interface Cell {
  readonly name: string;
  readonly title: string;
  /** The mock's behavior; see the head of mock.c. */
  readonly model: string;
  readonly stream: boolean;
  readonly connections: number;
  readonly body: 'small' | 'large';
  readonly seconds: number;
  /** Milliseconds over which the streams are started. */
  readonly rampMs?: number;
  /** Streams of each connection that are not measured, so that the measured ones start on warm connections. */
  readonly warm?: number;
  /** Only these peers; else all. */
  readonly peers?: readonly string[];
  /** How the gateway treats this model. */
  readonly strategy?: 'native' | 'prompt';
  readonly quick?: boolean;
}

const ownPeers = ['direct', 'baseline', 'smallest', 'callsmith'];
/** LiteLLM handles some hundred events per second here: a higher load would only delay the run. */
const withoutLitellm = [
  'direct',
  'nginx',
  'raw',
  'nest',
  'baseline',
  'smallest',
  'portkey',
  'toolify',
  'toolify-calls',
  'callsmith',
];

/** All cells. Streams: events of 40 characters, one HTTP chunk each, as vLLM sends them. */
export const cells: readonly Cell[] = [
  {
    name: 'json-16',
    title: 'non-stream, 16 connections, 2 KB',
    model: 'mock-n1',
    stream: false,
    connections: 16,
    body: 'small',
    seconds: 1,
    quick: true,
  },
  {
    name: 'json-64',
    title: 'non-stream, 64 connections, 2 KB',
    model: 'mock-n1',
    stream: false,
    connections: 64,
    body: 'small',
    seconds: 1,
    peers: withoutLitellm,
  },
  {
    name: 'json-16-large',
    title: 'non-stream, 16 connections, 43 KB',
    model: 'mock-n1',
    stream: false,
    connections: 16,
    body: 'large',
    seconds: 1,
    quick: true,
  },
  {
    name: 'json-64-large',
    title: 'non-stream, 64 connections, 43 KB',
    model: 'mock-n1',
    stream: false,
    connections: 64,
    body: 'large',
    seconds: 1,
    peers: withoutLitellm,
  },
  {
    // Started over the length of a stream, like those of many users: one every 20 ms, on a warm connection.
    name: 'paced-50',
    title: '50 warm streams, an event every 10 ms, begun one after the other',
    model: 'mock-n100-d10000',
    stream: true,
    connections: 50,
    body: 'small',
    seconds: 3.5,
    rampMs: 1000,
    warm: 1,
    peers: withoutLitellm,
  },
  {
    name: 'paced-100',
    title: '100 streams begun at once, an event every 10 ms',
    model: 'mock-n100-d10000',
    stream: true,
    connections: 100,
    body: 'small',
    seconds: 2,
    quick: true,
    peers: withoutLitellm,
  },
  {
    name: 'paced-1000',
    title: '1000 streams, an event every 100 ms',
    model: 'mock-n40-d100000',
    stream: true,
    connections: 1000,
    body: 'small',
    seconds: 5,
    rampMs: 1000,
    peers: withoutLitellm,
  },
  {
    name: 'saturated',
    title: '100 streams, an event every 2 ms',
    model: 'mock-n400-d2000',
    stream: true,
    connections: 100,
    body: 'small',
    seconds: 2,
    quick: true,
    peers: withoutLitellm,
  },
  {
    name: 'bursts',
    title: '20 streams without pacing',
    model: 'mock-n600',
    stream: true,
    connections: 20,
    body: 'small',
    seconds: 1.5,
    quick: true,
    peers: withoutLitellm,
  },
  {
    name: 'native-20k',
    title: 'a 20 KB file write, native',
    model: 'mock-kw-a20-s16-d1000',
    stream: true,
    connections: 20,
    body: 'small',
    seconds: 1.6,
    peers: ownPeers,
    strategy: 'native',
  },
  {
    name: 'leak-20k',
    title: 'a 20 KB file write that leaks as text',
    model: 'mock-kt-a20-s16-d1001',
    stream: true,
    connections: 20,
    body: 'small',
    seconds: 1.6,
    peers: ownPeers,
    strategy: 'native',
  },
  {
    name: 'prompt-20k',
    title: 'a 20 KB file write by prompt',
    model: 'mock-kt-a20-s16-d1002',
    stream: true,
    connections: 20,
    body: 'small',
    seconds: 1.6,
    peers: ownPeers,
    strategy: 'prompt',
  },
];

/**
 * A request body like those of coding clients: 2 KB with one tool, or 43 KB with 25 tools and a 10 KB system prompt.
 * `count`: a different number of tools.
 */
export function requestBody(
  cell: Pick<Cell, 'model' | 'stream' | 'body' | 'strategy'>,
  count = cell.body === 'large' ? 25 : 1,
): string {
  const large = cell.body === 'large';
  const words = (bytes: number) => 'please change the handler '.repeat(Math.ceil(bytes / 26)).slice(0, bytes);
  const tool = (at: number, bytes: number) => ({
    type: 'function',
    function: {
      name: at === 0 ? (cell.strategy ? 'write_file' : 'edit_file') : `tool_${at}`,
      description: words(bytes),
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          content: { type: 'string', description: words(bytes / 4) },
          old_string: { type: 'string' },
          new_string: { type: 'string' },
          replace_all: { type: 'boolean' },
        },
        required: ['path'],
      },
    },
  });
  return JSON.stringify({
    model: cell.model,
    stream: cell.stream,
    temperature: 0.2,
    max_tokens: 1024,
    messages: [
      { role: 'system', content: words(large ? 10_240 : 200) },
      { role: 'user', content: words(large ? 6_000 : 1_300) },
    ],
    tools: Array.from({ length: count }, (_, at) => tool(at, large ? 620 : 100)),
    tool_choice: 'auto',
  });
}
