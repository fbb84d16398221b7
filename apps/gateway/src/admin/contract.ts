import type { Endpoint, HandlerInput, ReplyOf } from '@callsmith/contracts';
import {
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Redirect,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Caller, nobody } from './access/caller.ts';
import type { HttpExchange } from './http-exchange.ts';
import { parseInput } from './parse-input.ts';

/** What a handler gets: the parsed request, its caller, and the HTTP side of it. */
export type AdminRequest<E extends Endpoint> = HandlerInput<E> & {
  readonly caller: Caller;
  readonly http: HttpExchange;
};

/** A download is streamed unchanged. */
type Answer<E extends Endpoint> = ReplyOf<E> | StreamableFile;
type Handler<E extends Endpoint> = (ask: AdminRequest<E>) => Answer<E> | Promise<Answer<E>>;

/** Metadata of a handler: the endpoint it serves. */
export const ENDPOINT = 'callsmith:endpoint';

/** What the access guard determined about a request. */
export interface AdmittedRequest {
  readonly caller: Caller;
  readonly http: HttpExchange;
}

const admitted = new WeakMap<FastifyRequest, AdmittedRequest>();

/** Stores the guard's result for the handler. */
export const admit = (request: FastifyRequest, found: AdmittedRequest): void => {
  admitted.set(request, found);
};

/**
 * Serves an endpoint of the contract: method, path and access come from it, the request is parsed by its schemas, and
 * only the fields of its reply schema are returned. The handler takes one `AdminRequest`.
 */
export function Serve<E extends Endpoint>(endpoint: E) {
  return <H extends Handler<E>>(target: object, key: string, descriptor: TypedPropertyDescriptor<H>): void => {
    if (!endpoint.download) descriptor.value = answering(endpoint, descriptor.value!) as H;
    takeRequest(endpoint)(target, key, 0);
    for (const decorate of [
      RequestMapping({ method: RequestMethod[endpoint.method], path: endpoint.path }),
      HttpCode(200),
      SetMetadata(ENDPOINT, endpoint),
      ...(endpoint.redirects ? [Redirect()] : []),
    ])
      decorate(target, key, descriptor);
  };
}

const takeRequest = createParamDecorator((endpoint: Endpoint, context: ExecutionContext): AdminRequest<Endpoint> => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { caller, http } = admitted.get(request) ?? { caller: nobody, http: undefined };
  if (!http) throw new Error(`${endpoint.path} was reached without its guard`);
  const taken = (schema: Endpoint['body'], input: unknown) =>
    schema.type === 'undefined' ? undefined : parseInput(schema, input ?? {}, endpoint.codes);
  return {
    params: taken(endpoint.params, request.params),
    query: taken(endpoint.query, request.query),
    body: taken(endpoint.body, request.body),
    caller,
    http,
  };
});

function answering<E extends Endpoint>(endpoint: E, handle: Handler<E>): Handler<E> {
  return async function (this: unknown, ask) {
    const result = endpoint.reply.safeParse(await handle.call(this, ask));
    if (result.success) return result.data as ReplyOf<E>;
    throw new Error(`${endpoint.method} ${endpoint.path} answers against its contract`, { cause: result.error });
  };
}
