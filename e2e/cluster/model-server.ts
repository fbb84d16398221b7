import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a model answers a request. */
export type Behavior = (response: ServerResponse, request: ModelRequest) => void | Promise<void>;

/** A request that the server got. */
export interface ModelRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A small model server whose models behave as a test defines. */
export interface ModelServer {
  readonly url: string;
  /** Completion requests, in order of arrival. */
  readonly received: readonly ModelRequest[];
  close(): Promise<void>;
}

/** Starts a server that lists `models`, each with its own behavior. */
export async function startModelServer(models: Readonly<Record<string, Behavior>>): Promise<ModelServer> {
  const received: ModelRequest[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of incoming.setEncoding('utf8')) body += part;
    if (incoming.url === '/v1/models') {
      const data = Object.keys(models).map((id) => ({ id, object: 'model', created: 1, owned_by: 'tests' }));
      json(200, { object: 'list', data })(response);
      return;
    }
    if (incoming.url !== '/v1/chat/completions') {
      // As some servers do: the received key is echoed.
      json(401, { error: { message: `Incorrect API key provided: ${incoming.headers.authorization}` } })(response);
      return;
    }
    const request = { headers: incoming.headers, body };
    received.push(request);
    const { model } = JSON.parse(body) as { model: string };
    await models[model]?.(response, request);
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
}

/** Answers with a JSON body. */
export const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** One event of a streamed chat completion. */
export const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Answers with an event stream. */
export const stream =
  (...events: readonly string[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.join(''));
  };

/** A whole chat completion with `content` and `tokens` used, or with a call. */
export const completion = (message: object, finish = 'stop', tokens = { prompt_tokens: 10, completion_tokens: 5 }) =>
  json(200, {
    id: 'up-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens },
  });
