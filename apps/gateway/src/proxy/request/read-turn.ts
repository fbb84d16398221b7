import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KeyEntry } from '@callsmith/data/snapshot';
import type { BodyLimits, InboundAdapter } from '@callsmith/protocols';
import { isObject, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import type { RequestInfo } from '../record/request-info.ts';
import { parseBody } from './body.ts';
import type { ResponseStore } from './response-store.ts';

/** What the path says of a request that other APIs have in the body. */
export interface PathParameters {
  readonly model: string;
  readonly stream?: boolean;
}

/** Puts what the path says into a body, in place of what the body says. */
export function applyPathParameters(body: JsonObject, { model, stream }: PathParameters): void {
  body.model = model;
  if (stream !== undefined) body.stream = stream;
}

/** Bytes of a body beyond which others have their turn between the steps of its reading. */
export const longBody = 1024 * 1024;

export const bodyLimits: BodyLimits = { maxDepth: 200, maxMessages: 10_000, maxTools: 2000 };

/**
 * A body as a turn, with all that it refers to; written into the record as far as it could be read. Throws what is wrong
 * with it.
 */
export async function readTurn(
  bytes: Buffer | undefined,
  {
    adapter,
    addressed,
    key,
    store,
  }: {
    readonly adapter: InboundAdapter;
    readonly addressed: PathParameters | undefined;
    readonly key: Pick<KeyEntry, 'id'>;
    readonly store: ResponseStore;
  },
  info: RequestInfo,
): Promise<Turn> {
  const body = parseBody(bytes);
  // A long body takes its time at each step.
  if (bytes !== undefined && bytes.length > longBody) await nextTurn();
  if (isObject(body)) {
    if (addressed) applyPathParameters(body, addressed);
    if (typeof body.model === 'string') info.requestedModel = body.model;
  }
  if (isObject(body)) info.user = adapter.userOf?.(body);
  const turn = await turnIn(body, (said, limits) => adapter.parseRequest(said, { ...limits, moreTools: true }), {
    storedState: adapter.storedState,
    key,
    store,
  });
  info.turn = turn;
  info.streamed = turn.stream;
  return turn;
}

/** A parsed body as a turn, with all that it refers to. Throws what is wrong with it. */
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
  const asked = parse(body, bodyLimits);
  const previous = storedState?.previousId(asked);
  if (storedState === undefined || previous === undefined) return asked;
  return storedState.continueFrom(asked, (await store.get(previous, key)).messages);
}
