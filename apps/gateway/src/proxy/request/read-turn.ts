import type { KeyEntry } from '@callsmith/data/snapshot';
import type { BodyLimits, InboundAdapter } from '@callsmith/protocols';
import { isObject, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import type { RequestInfo } from '../record/request-info.ts';
import { isLongBody, parseBody, parseLongBody } from './body.ts';
import type { ResponseStore } from './response-store.ts';

/** Members of a request that its path has, and other APIs have in the body. */
export interface PathParameters {
  readonly model: string;
  readonly stream?: boolean;
}

/** Replaces members of a body by those of the path. */
export function applyPathParameters(body: JsonObject, { model, stream }: PathParameters): void {
  body.model = model;
  if (stream !== undefined) body.stream = stream;
}

export const bodyLimits: BodyLimits = { maxDepth: 200, maxMessages: 10_000, maxTools: 2000 };

/**
 * Reads a body as a turn, with the stored messages that it refers to, and writes it into the record as far as it could
 * be read. Throws a `Fault` for an invalid body.
 */
export async function readTurn(
  bytes: Buffer | undefined,
  {
    adapter,
    addressed,
    key,
    store,
    parse = parseBody,
  }: {
    readonly adapter: InboundAdapter;
    readonly addressed: PathParameters | undefined;
    readonly key: Pick<KeyEntry, 'id'>;
    readonly store: ResponseStore;
    readonly parse?: (bytes: Buffer | undefined) => JsonValue;
  },
  info: RequestInfo,
): Promise<Turn> {
  const body = isLongBody(bytes) ? await parseLongBody(bytes, parse) : parse(bytes);
  if (isObject(body)) {
    if (addressed) applyPathParameters(body, addressed);
    if (typeof body.model === 'string') info.requestedModel = body.model;
  }
  if (isObject(body)) info.user = adapter.userOf?.(body);
  const turn = await turnIn(body, (value, limits) => adapter.parseRequest(value, { moreTools: true, ...limits }), {
    storedState: adapter.storedState,
    key,
    store,
  });
  info.turn = turn;
  info.streamed = turn.stream;
  return turn;
}

/** A parsed body as a turn, with the stored messages that it refers to. Throws a `Fault` for an invalid body. */
export async function turnIn(
  body: JsonValue,
  parse: InboundAdapter['parseRequest'],
  {
    storedState,
    key,
    store,
  }: {
    readonly storedState: InboundAdapter['storedState'];
    readonly key: Pick<KeyEntry, 'id'>;
    readonly store: ResponseStore;
  },
): Promise<Turn> {
  await storedState?.resolveReferences(body, bodyLimits, store.finderFor(key));
  const turn = parse(body, bodyLimits);
  const previous = storedState?.previousId(turn);
  if (storedState === undefined || previous === undefined) return turn;
  return storedState.continueFrom(turn, (await store.get(previous, key)).messages);
}
