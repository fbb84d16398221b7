import { randomUUID } from 'node:crypto';
import type { KeyEntry } from '@callsmith/data/snapshot';
import type { StoredResponses } from '@callsmith/data/stored-responses';
import type { Message, PastCall } from '@callsmith/turn';

/** The prefix of the ids of calls whose rounds are stored. Other calls are not looked up. */
const mark = 'call_r_';

/** A new id for a call whose rounds are stored. */
export const storedCallId = (): string => mark + randomUUID().replaceAll('-', '').slice(0, 22);

/** A new id for a call that needs the client's approval. */
export const approvalId = (): string => `mcpr_${randomUUID().replaceAll('-', '')}`;

/**
 * Stores the messages of rounds that end with calls of the client's own tools. The client's API has no place for them,
 * so that its next request comes without them. They are found by the key and the ids of the calls; without a store
 * nothing is kept.
 */
export class StoredRounds {
  constructor(private readonly stored: Pick<StoredResponses, 'save' | 'find'> | undefined) {}

  /**
   * Stores the messages up to these calls, including the message with the calls and the results of those that the
   * gateway ran.
   */
  async keep(key: Pick<KeyEntry, 'id'>, model: string, calls: readonly PastCall[], messages: Message[]): Promise<void> {
    await Promise.all(
      calls.map(({ id }) =>
        this.stored?.save(
          { id: `round:${id}`, keyId: key.id },
          { previousId: undefined, model },
          { messages, response: {} },
        ),
      ),
    );
  }

  /** Restores the stored messages of a conversation, except those that have expired. */
  async restore(key: Pick<KeyEntry, 'id'>, messages: readonly Message[]): Promise<readonly Message[]> {
    const marked = messages.filter((message) => markedIds(message).length > 0);
    if (this.stored === undefined || marked.length === 0) return messages;
    const presentIds = new Set(messages.flatMap((message) => idsIn(message)));
    const kept = new Map(
      await Promise.all(marked.map(async (message) => [message, await this.find(key, markedIds(message))] as const)),
    );
    return messages.flatMap((message) => {
      const stored = kept.get(message);
      // The messages of a stored response contain them already.
      const isThere = stored?.some((one) => one.role === 'tool' && presentIds.has(one.callId));
      return stored === undefined || isThere ? [message] : stored;
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
