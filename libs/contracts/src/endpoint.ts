import { z } from 'zod';

/**
 * The lowest role that may call an endpoint. `anyone` needs no session; `key-owner` is not one of the roles: only who
 * opened a key's connect link.
 */
export type Access = 'anyone' | 'key-owner' | 'viewer' | 'editor' | 'admin';

/** One endpoint of the admin API: the gateway serves it, the dashboard calls it, `docs/openapi.json` is made from it. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Starts with /api/; parameters as `:name`. */
  readonly path: `/api/${string}`;
  readonly access: Access;
  /** One sentence for the API's documentation. */
  readonly summary: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly reply: Reply;
  /** Error codes of single fields, if `invalid_parameter` is not specific enough. */
  readonly codes: Readonly<Record<string, string>>;
  /** Media types of a download; undefined: the response is JSON. */
  readonly download?: readonly string[];
  /** For navigation by a browser: the response is a redirect to the reply's `url`. */
  readonly redirects?: boolean;
}

/** Present and absent inputs: `undefined` on the wire. */
export const none = z.undefined();

interface Given<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  readonly method: Endpoint['method'];
  readonly path: Endpoint['path'];
  readonly access: Access;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly reply: R;
  readonly codes?: Readonly<Record<string, string>>;
  readonly download?: readonly string[];
  readonly redirects?: boolean;
}

/** Declares an endpoint; omitted inputs are not accepted. */
export function endpoint<
  R extends z.ZodType,
  P extends z.ZodType = typeof none,
  Q extends z.ZodType = typeof none,
  B extends z.ZodType = typeof none,
>(definition: Given<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return {
    ...definition,
    params: (definition.params ?? none) as P,
    query: (definition.query ?? none) as Q,
    body: closed(definition.body ?? none) as B,
    codes: definition.codes ?? {},
  };
}

/** A body whose unknown members are refused by name, because a misspelled one would silently change nothing. */
const closed = (body: z.ZodType): z.ZodType =>
  body instanceof z.ZodObject && body.def.catchall === undefined ? body.strict() : body;

/** A caller's input to an endpoint. */
export type InputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? (undefined extends z.input<P> ? { params?: undefined } : { params: z.input<P> }) &
        (undefined extends z.input<Q> ? { query?: z.input<Q> } : { query?: z.input<Q> }) &
        (undefined extends z.input<B> ? { body?: undefined } : { body: z.input<B> })
    : never;

/** The parsed input of an endpoint's handler. */
export type HandlerInput<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> }
    : never;

/** The response of an endpoint. */
export type ReplyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.output<R> : never;
