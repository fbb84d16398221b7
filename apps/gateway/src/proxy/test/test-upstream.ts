import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** One request that the upstream got. */
export interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  /** The body as it came. */
  readonly text: string;
  /** Resolves when the gateway closed the connection before the answer was whole. */
  readonly hungUp: Promise<number>;
}

/** What the upstream does with a request. */
export type Behavior = (response: ServerResponse, received: ReceivedRequest) => void | Promise<void>;

/** A small model server whose every byte a test decides. */
export interface TestUpstream {
  readonly baseUrl: string;
  readonly received: ReceivedRequest[];
  /** The next requests behave so, one after the other; the last one stays. */
  behave(...behaviours: Behavior[]): void;
  close(): Promise<void>;
}

/** An upstream for all tests of a file. */
export async function testUpstream(): Promise<TestUpstream> {
  const upstream = await startUpstream();
  afterAll(() => upstream.close());
  return upstream;
}

/** An upstream that is closed by whoever started it. */
export async function startUpstream(): Promise<TestUpstream> {
  const received: ReceivedRequest[] = [];
  let behaviours: Behavior[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const hungUp = new Promise<number>((resolve) => {
        response.once('close', () => {
          if (!response.writableFinished) resolve(performance.now());
        });
      });
      const text = Buffer.concat(parts).toString('utf8');
      const body = JSON.parse(text || '{}') as Record<string, unknown>;
      const one: ReceivedRequest = { url: request.url ?? '', headers: request.headers, body, text, hungUp };
      received.push(one);
      const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
      void behaviour?.(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    behave: (...newBehaviours) => {
      behaviours = newBehaviours;
      received.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One chunk of a chat completion as an event. */
export const chunk = (delta: object, finish: string | null = null, choice = 0): string =>
  `data: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: choice, delta, logprobs: null, finish_reason: finish }] })}\n\n`;

export const role = chunk({ role: 'assistant', content: '' });
export const text = (content: string): string => chunk({ content });
export const stop = chunk({}, 'stop');
export const done = 'data: [DONE]\n\n';

/** The first delta of a native call, or with `name` undefined a further one. */
export const call = (index: number, name: string | undefined, args: string): string =>
  chunk({
    tool_calls: [
      name === undefined
        ? { index, function: { arguments: args } }
        : { index, id: `call_up_${index}`, type: 'function', function: { name, arguments: args } },
    ],
  });

/** Answers with an event stream made of `events`. */
export const stream =
  (...events: readonly string[]): Behavior =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.join(''));
  };

/** Begins an event stream and hands over its end. */
export const open = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
};

/** Answers with a JSON body. */
export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Behavior =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
