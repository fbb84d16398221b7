import { randomUUID } from 'node:crypto';
import type { KeyEntry } from '@callsmith/data/snapshot';
import type { StoredResponses } from '@callsmith/data/stored-responses';
import type { Message, PastCall } from '@callsmith/turn';

/** What the ids of calls begin with whose round is kept: no other history is looked up. */
const mark = 'call_r_';

/** An id for a call whose round is kept. */
export const storedCallId = (): string => mark + randomUUID().replaceAll('-', '').slice(0, 22);

/** An id for a call that waits for its client's approval. */
export const approvalId = (): string => `mcpr_${randomUUID().replaceAll('-', '')}`;

/**
 * What was said in agent mode before the client's own tools were called: its API has no place for it, so that it comes back
 * without. Each key has its own, by the ids of the calls; without a store nothing is kept.
 */
export class StoredRounds {
  constructor(private readonly stored: Pick<StoredResponses, 'save' | 'find'> | undefined) {}

  /** Keeps what was said up to these calls, the message that makes them and the results of those that ran here included. */
  async keep(key: Pick<KeyEntry, 'id'>, model: string, calls: readonly PastCall[], said: Message[]): Promise<void> {
    await Promise.all(
      calls.map(({ id }) =>
        this.stored?.save(
          { id: `round:${id}`, keyId: key.id },
          { previousId: undefined, model },
          { messages: said, response: {} },
        ),
      ),
    );
  }

  /** A conversation with all that was said in it; what has expired is not there. */
  async restore(key: Pick<KeyEntry, 'id'>, messages: readonly Message[]): Promise<readonly Message[]> {
    const marked = messages.filter((message) => markedIds(message).length > 0);
    if (this.stored === undefined || marked.length === 0) return messages;
    const there = new Set(messages.flatMap((message) => idsIn(message)));
    const kept = new Map(
      await Promise.all(marked.map(async (message) => [message, await this.find(key, markedIds(message))] as const)),
    );
    return messages.flatMap((message) => {
      const said = kept.get(message);
      // A stored response has them already.
      const isThere = said?.some((one) => one.role === 'tool' && there.has(one.callId));
      return said === undefined || isThere ? [message] : said;
    });
  }

  private async find(
    { id: keyId }: Pick<KeyEntry, 'id'>,
    ids: readonly string[],
  ): Promise<readonly Message[] | undefined> {
    for (const id of ids) {
      const found = await this.stored?.find({ id: `round:${id}`, keyId });
      if (found) return found.messages;
    }
    return undefined;
  }
}

const idsIn = (message: Message): string[] => (message.role === 'assistant' ? message.calls.map(({ id }) => id) : []);

const markedIds = (message: Message): string[] => idsIn(message).filter((id) => id.startsWith(mark));
