import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inboundAdapters, outboundAdapters } from '@callsmith/protocols';
import { type Dialect, dialectNamed, parseCalls, prepareTurn } from '@callsmith/toolcall';
import { type BaseStrategy, type JsonValue, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { requestBody } from './cells.ts';

/** The time of the parser alone, measured in this process. */
export interface ParserFigures {
  /** Time for 100 KB divided by that for 10 KB. */
  readonly growth: number;
  /** Time for 200 KB divided by that for 100 KB. */
  readonly doubling: number;
  readonly microsPerKb: number;
  /** Divided by the time of a loop that only reads each character code of the same deltas. */
  readonly againstScan: number;
  /** Time for 20 KB divided by that of `@ai-sdk-tool/parser`'s hermes parser; undefined if it cannot be installed. */
  readonly againstParser?: number;
  /** Additional milliseconds of a request with 40 tools by prompt compared with native, from the second request on. */
  readonly promptExtraMs: number;
}

const parserVersion = '4.1.26';
const line = '  const value = await compute(42, { retries: 3, label: "row 42" });\n';
const content = (kb: number): string => line.repeat(Math.ceil((kb * 1024) / line.length)).slice(0, kb * 1024);

/** A hermes call that writes a file of `kb` KB, in deltas of four characters. */
function deltas(kb: number): string[] {
  const call = JSON.stringify({ name: 'write_file', arguments: { path: '/src/app.ts', content: content(kb) } });
  return `I will write it.\n<tool_call>\n${call}\n</tool_call>`.match(/[\s\S]{1,4}/g) ?? [];
}

const tools = new ToolTable([
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
]);

function readOurs(events: readonly UpstreamEvent[]): void {
  const stage = parseCalls({
    tools,
    dialect: 'hermes',
    strategyUsed: 'prompt',
    holdBytes: 1024,
    toolChoice: 'auto',
    parallel: true,
  });
  let whole = 0;
  const reader = stage({
    push: (event) => {
      if (event.type === 'tool-end' && event.whole) whole++;
    },
    flush: () => {},
    end: () => {},
  });
  for (const event of events) {
    reader.push(event);
    reader.flush();
  }
  reader.end();
  if (whole !== 1) throw new Error(`the reader found ${whole} calls`);
}

/** An upstream's events with these text chunks; created before the measurement. */
const eventsOf = (texts: readonly string[]): readonly UpstreamEvent[] => [
  ...texts.map((text) => ({ type: 'text-delta', choice: 0, text }) as const),
  { type: 'turn-end', choice: 0, reason: 'stop' },
];

function scan(texts: readonly string[]): number {
  let found = 0;
  for (const text of texts) for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 60) found++;
  return found;
}

/** The best of several runs, in microseconds. */
function micros(work: () => void, runs = 15): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = process.hrtime.bigint();
    work();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000);
  }
  return best;
}

/** Measures the parser separately, beside a plain scan and the nearest library. Throws if no call is parsed. */
export async function parserFigures(cache: string): Promise<ParserFigures> {
  const [ten, twenty, hundred, twoHundred] = [deltas(10), deltas(20), deltas(100), deltas(200)];
  const events = {
    ten: eventsOf(ten),
    twenty: eventsOf(twenty),
    hundred: eventsOf(hundred),
    twoHundred: eventsOf(twoHundred),
  };
  for (let warm = 0; warm < 20; warm++) readOurs(events.ten);
  const time = {
    ten: micros(() => readOurs(events.ten)),
    hundred: micros(() => readOurs(events.hundred)),
    twoHundred: micros(() => readOurs(events.twoHundred)),
  };
  const scanning = micros(() => scan(hundred));
  const parser = await parserMicros(cache, twenty);
  return {
    growth: time.hundred / time.ten,
    doubling: time.twoHundred / time.hundred,
    microsPerKb: time.hundred / 100,
    againstScan: time.hundred / scanning,
    ...(parser !== undefined && { againstParser: micros(() => readOurs(events.twenty)) / parser }),
    promptExtraMs: (requestMicros('prompt') - requestMicros('native')) / 1000,
  };
}

/** From a client's body with 40 tools to the upstream's: parsed, prepared for a strategy, serialized. */
function requestMicros(strategy: BaseStrategy): number {
  const body = requestBody({ model: 'm', stream: true, body: 'large' }, 40);
  const dialect = dialectNamed('hermes') as Dialect;
  const target = { upstream: 'u', kind: 'vllm', baseUrl: 'http://127.0.0.1/v1', model: 'm' } as const;
  const work = (): void => {
    const turn = inboundAdapters['chat-completions'].parseRequest(JSON.parse(body) as JsonValue, {
      maxDepth: 200,
      maxMessages: 10_000,
      maxTools: 2000,
    });
    JSON.stringify(outboundAdapters['openai-chat'].request(prepareTurn(turn, strategy, dialect).turn, target).body);
  };
  for (let warm = 0; warm < 50; warm++) work();
  return micros(work, 100);
}

interface Library {
  hermesProtocol(): {
    createStreamParser(options: { tools: readonly unknown[] }): TransformStream<unknown, { type: string }>;
  };
}

async function parserMicros(cache: string, texts: readonly string[]): Promise<number | undefined> {
  const library = await installedParser(cache);
  if (!library) return undefined;
  const schema = tools.get('write_file')?.parameters;
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4; run++) {
    const start = process.hrtime.bigint();
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: '0' });
        for (const delta of texts) controller.enqueue({ type: 'text-delta', id: '0', delta });
        controller.enqueue({ type: 'text-end', id: '0' });
        controller.enqueue({ type: 'finish', finishReason: 'stop', usage: {} });
        controller.close();
      },
    }).pipeThrough(
      library
        .hermesProtocol()
        .createStreamParser({ tools: [{ type: 'function', name: 'write_file', inputSchema: schema }] }),
    );
    let calls = 0;
    for await (const part of stream) if ((part as { type: string }).type === 'tool-call') calls++;
    if (calls !== 1) throw new Error(`@ai-sdk-tool/parser found ${calls} calls`);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000);
  }
  return best;
}

async function installedParser(cache: string): Promise<Library | undefined> {
  const folder = join(cache, `parser-${parserVersion}`);
  const entry = join(folder, 'node_modules/@ai-sdk-tool/parser/dist/index.js');
  try {
    if (!existsSync(entry)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
      execFileSync(
        'npm',
        ['install', '--no-audit', '--no-fund', '--ignore-scripts', `@ai-sdk-tool/parser@${parserVersion}`],
        { cwd: folder, stdio: 'ignore' },
      );
    }
    return (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as Library;
  } catch {
    return undefined;
  }
}
