import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { type Controls, headerControls } from './controls.ts';
import { Exchange } from './exchange.ts';
import { type Model, modelIds, modelNamed } from './models/models.ts';
import { chat } from './protocols/chat.ts';
import { errorAnswer } from './protocols/errors.ts';
import { ollamaChat } from './protocols/ollama.ts';
import { complete, embed, modelList, tokenize } from './protocols/other.ts';
import { respond } from './protocols/responses.ts';
import { type RecordedRequest, Recorder } from './recorder.ts';

/** A model to list: a simulator's id, or another id that is played as one of them. */
export type ListedModel = string | { readonly id: string; readonly as: string };

/** How to start a simulator; all optional. */
export interface SimulatorOptions {
  /** 0, the default: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Seed of every draw; default "1". */
  readonly seed?: string | number;
  /** The ids in `/v1/models` and, if given, the only ones that are answered; default: every named model. */
  readonly models?: readonly ListedModel[];
  /** How many requests are kept in `requests`; default 500. */
  readonly keep?: number;
}

/** A running simulator. */
export interface Simulator {
  /** `http://host:port`, without `/v1`. */
  readonly url: string;
  /** The last requests, oldest first; live. */
  readonly requests: readonly RecordedRequest[];
  /** Stops immediately, open streams too. */
  close(): Promise<void>;
}

const version = '0.11.0';

/** Starts a simulated model server. Rejects if the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const recorder = new Recorder(options.keep ?? 500);
  const stage = new Stage(options, recorder);
  const server = createServer((request, response) => void stage.play(request, response));
  server.keepAliveTimeout = 5_000;
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests: recorder.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Counts how often each turn was requested, so that a retry draws again; forgets the oldest. */
class Attempts {
  private readonly counts = new Map<string, number>();

  next(key: string): number {
    const count = this.counts.get(key) ?? 0;
    this.counts.delete(key);
    this.counts.set(key, count + 1);
    const oldest = this.counts.keys().next();
    if (this.counts.size > 10_000 && oldest.done !== true) this.counts.delete(oldest.value);
    return count;
  }
}

class Stage {
  private readonly attempts = new Attempts();
  private readonly listed: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly options: SimulatorOptions,
    private readonly recorder: Recorder,
  ) {
    const models = options.models?.map((each): [string, string] =>
      typeof each === 'string' ? [each, each] : [each.id, each.as],
    );
    this.listed = models && new Map(models);
  }

  async play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    // Requests for the recording are not recorded.
    const watching = path === '/sim/requests';
    const method = request.method ?? 'GET';
    const unseen = watching ? new Recorder(1) : this.recorder;
    const exchange = new Exchange(request, response, unseen.add({ method, path, headers: request.headers }));
    try {
      if (watching) return this.recorded(exchange, method);
      await (method === 'POST' ? this.post(exchange, path) : this.get(exchange, path));
    } catch (cause) {
      exchange.error(errorAnswer(500, `The simulator failed: ${String(cause)}`, { engine: 'vllm', errors: 'new' }));
    }
  }

  private recorded(exchange: Exchange, method: string): void {
    if (method === 'DELETE') this.recorder.requests.length = 0;
    exchange.json(200, JSON.parse(JSON.stringify(this.recorder.requests)) as JsonValue);
  }

  private async get(exchange: Exchange, path: string): Promise<void> {
    const ids = this.listed === undefined ? modelIds : [...this.listed.keys()];
    if (path === '/v1/models')
      return exchange.json(
        200,
        modelList(ids, (id) => this.find(id)?.controls.context ?? 0),
      );
    if (path === '/version') return exchange.json(200, { version });
    if (path === '/health' || path === '/ping') return exchange.text(200, '');
    exchange.json(404, { detail: 'Not Found' });
  }

  private async post(exchange: Exchange, path: string): Promise<void> {
    const body = await exchange.body();
    if (!isObject(body))
      return exchange.error(
        errorAnswer(400, 'Expecting value: line 1 column 1 (char 0)', { engine: 'vllm', errors: 'new' }),
      );
    const id = typeof body.model === 'string' ? body.model : this.firstId(path);
    exchange.record.model = id;
    const model = this.find(id);
    if (model === undefined)
      return exchange.error(errorAnswer(404, `The model \`${id}\` does not exist.`, { engine: 'vllm', errors: 'new' }));
    const controls = { ...model.controls, ...headerControls(exchange.request.headers) };
    await this.answer(exchange, path, body, id, controls);
  }

  private async answer(
    exchange: Exchange,
    path: string,
    body: JsonObject,
    model: string,
    controls: Controls,
  ): Promise<void> {
    switch (path) {
      case '/v1/chat/completions':
        return chat(exchange, { body, model, controls, attempt: (key) => this.attempts.next(key) });
      case '/v1/responses':
        return respond(exchange, { body, model, controls, attempt: (key) => this.attempts.next(key) });
      case '/api/chat':
        return ollamaChat(exchange, { body, model, controls, attempt: (key) => this.attempts.next(key) });
      case '/v1/completions':
        return complete(exchange, body, model, controls);
      case '/v1/embeddings':
        return embed(exchange, body, model);
      case '/tokenize':
        return tokenize(exchange, body, controls);
      default:
        exchange.json(404, { detail: 'Not Found' });
    }
  }

  /** `/tokenize` may be called without a model. */
  private firstId(path: string): string {
    return path === '/tokenize' ? (this.listed?.keys().next().value ?? 'sim-native') : '';
  }

  private find(id: string): Model | undefined {
    const seed = String(this.options.seed ?? 1);
    if (this.listed === undefined) return modelNamed(id, seed);
    const at = id.indexOf('@');
    const as = this.listed.get(id) ?? this.listed.get(at < 0 ? id : id.slice(0, at));
    if (as === undefined || this.listed.has(id) || at < 0) return as === undefined ? undefined : modelNamed(as, seed);
    return modelNamed(`${as}${id.slice(at)}`, seed);
  }
}
