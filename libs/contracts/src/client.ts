import type { Endpoint, InputOf, ReplyOf } from './endpoint.ts';

/** An error response of the admin API. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Path of the field it is about, e.g. `baseUrl`. */
    readonly param: string | null,
    /** The request ID to quote when asking for help. */
    readonly requestId: string | null,
    /** Every invalid field, if a form was checked. */
    readonly fields: readonly { path: string; message: string }[] = [],
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

type Area = Record<string, Endpoint>;
type Call<E> =
  Record<string, never> extends InputOf<E>
    ? (ask?: InputOf<E>, signal?: AbortSignal) => Promise<ReplyOf<E>>
    : (ask: InputOf<E>, signal?: AbortSignal) => Promise<ReplyOf<E>>;
/** Method and path of an endpoint, e.g. `GET /api/keys/:id`. */
export type Route = `${Endpoint['method']} ${Endpoint['path']}`;
/** What a client needs to know about an API at run time: the method and path of each endpoint. */
export type Routes<A extends Record<string, Area>> = {
  readonly [K in keyof A]: { readonly [N in keyof A[K]]: Route };
};
export type Client<A extends Record<string, Area>> = { [K in keyof A]: { [N in keyof A[K]]: Call<A[K][N]> } };

/** The inputs of a request. */
export interface RequestParts {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A typed client of the admin API over `fetch`. Its calls throw `ApiError`. `base` is '' in the dashboard itself. */
export function createClient<A extends Record<string, Area>>(
  routes: Routes<A>,
  base = '',
  doFetch: typeof fetch = fetch,
): Client<A> {
  const areas = Object.entries(routes).map(([area, endpoints]) => [
    area,
    Object.fromEntries(
      Object.entries(endpoints as Record<string, Route>).map(([name, route]) => [
        name,
        (ask: RequestParts = {}, signal?: AbortSignal) => send(route, base, doFetch, ask, signal),
      ]),
    ),
  ]);
  return Object.fromEntries(areas) as Client<A>;
}

async function send(
  route: Route,
  base: string,
  doFetch: typeof fetch,
  ask: RequestParts,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const reply = await sendRequest(route, base, doFetch, ask, signal);
  const body: unknown = await reply.json().catch(() => undefined);
  if (!reply.ok) throw errorOf(reply, body);
  return body;
}

/** Sends a request and returns the response. */
export function sendRequest(
  route: Route,
  base: string,
  doFetch: typeof fetch,
  ask: RequestParts,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const [method, place = ''] = route.split(' ');
  const path = place.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ask.params?.[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(ask.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value));
  const search = query.size > 0 ? `?${query}` : '';
  return doFetch(base + path + search, {
    method: method ?? 'GET',
    credentials: 'same-origin',
    headers: ask.body === undefined ? {} : { 'content-type': 'application/json' },
    ...(ask.body !== undefined && { body: JSON.stringify(ask.body) }),
    ...(signal && { signal }),
  });
}

interface ErrorBody {
  message?: string;
  code?: string;
  param?: string | null;
  fields?: { path: string; message: string }[];
}

/** The error in a response other than 2xx. */
export function errorOf(reply: Response, body: unknown): ApiError {
  const error = (body as { error?: ErrorBody } | undefined)?.error;
  return new ApiError(
    reply.status,
    error?.code ?? 'internal_error',
    error?.message ?? `The server returned ${reply.status}.`,
    error?.param ?? null,
    reply.headers.get('x-request-id'),
    error?.fields ?? [],
  );
}
