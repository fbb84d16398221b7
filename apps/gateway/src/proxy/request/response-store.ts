import type { KeyEntry } from '@callsmith/data/snapshot';
import type { StoredResponse, StoredResponses } from '@callsmith/data/stored-responses';
import type { FindResponse, InboundAdapter, ResponseHead } from '@callsmith/protocols';
import { Fault, type JsonObject, type Turn } from '@callsmith/turn';
import type { StoreAnswer } from '../upstream/completion-job.ts';

/** The form of the gateway's own ids. */
const ownId = /^resp_[0-9A-Za-z]{1,64}$/;

type Owner = Pick<KeyEntry, 'id'>;

/** Stored responses as requests use them: each key has its own. Without a store nothing is stored or found. */
export class ResponseStore {
  constructor(
    private readonly stored:
      | (Pick<StoredResponses, 'save' | 'find' | 'remove'> & { readonly lostAt?: Date | undefined })
      | undefined,
  ) {}

  /** What finds a key's responses by their id. */
  finderFor({ id: keyId }: Owner): FindResponse {
    // Agent mode's stored rounds have other ids.
    return async (id) => (ownId.test(id) ? this.stored?.find({ id, keyId }) : undefined);
  }

  /** Throws `response_not_found`. */
  async get(id: string, key: Owner): Promise<StoredResponse> {
    const found = await this.finderFor(key)(id);
    if (found === undefined) throw notStored(id, this.stored?.lostAt);
    return found;
  }

  /** Deletes a response. Throws `response_not_found`. */
  async remove(id: string, key: Owner): Promise<JsonObject> {
    if (!ownId.test(id) || !(await this.stored?.remove({ id, keyId: key.id })))
      throw notStored(id, this.stored?.lostAt);
    return { id, object: 'response', deleted: true };
  }

  /** The function that stores a turn's response; undefined if its API stores none, or the client forbade it. */
  saverFor(
    key: Owner,
    turn: Turn,
    { adapter, head }: { readonly adapter: InboundAdapter; readonly head: ResponseHead },
  ): StoreAnswer | undefined {
    const { stored } = this;
    const { storedState } = adapter;
    if (stored === undefined || !storedState?.mayStore(turn)) return undefined;
    return (folded, conversation = { messages: turn.messages, folded }) =>
      stored.save(
        { id: head.id, keyId: key.id },
        { previousId: storedState.previousId(turn), model: turn.model },
        {
          messages: storedState.conversationAfter({ ...turn, messages: conversation.messages }, conversation.folded),
          response: adapter.wholeResponse(turn, head, folded),
        },
      );
  }
}

function notStored(id: string, lostAt: Date | undefined): Fault {
  const lost = lostAt && Date.now() - lostAt.getTime() < LOST_MS;
  const why = lost
    ? ` The database was unreachable at ${lostAt.toISOString()}, and responses of that time could not be stored: send the whole conversation again.`
    : '';
  return new Fault(
    'response_not_found',
    `There is no stored response ${JSON.stringify(id.slice(0, 100))} for this key.${why}`,
    { param: 'previous_response_id' },
  );
}

/** How long a failed write may explain a missing response. */
const LOST_MS = 3_600_000;
