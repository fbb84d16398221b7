import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import type { StoredResponses } from '@callsmith/data/stored-responses';
import type { Message } from '@callsmith/turn';
import type { StoreAnswer } from '../upstream/completion-job.ts';

type Owner = Pick<KeyEntry, 'id' | 'storesBodies'>;
type Remembers = Pick<ModelEntry, 'keepsReasoning'>;

/** Longer reasoning is not stored. */
const longest = 256 * 1024;
/** Responses of a conversation, from its end, that are looked up. */
const mostAnswers = 500;
/** A slower store is not waited for: the request continues without. */
const waitMs = 1000;

/**
 * Stores the reasoning of responses with calls, for models whose templates refuse a past call without it, or lose the
 * server's prefix cache: many clients leave it out. It is stored by the ids of the calls, separately for each key, and
 * added to the next request if the client sent none. Nothing is stored for teams that store no message content.
 */
export class ReasoningMemory {
  constructor(
    private readonly stored: Pick<StoredResponses, 'save' | 'findAll'> | undefined,
    private readonly reportError: (error: unknown) => void,
  ) {}

  /** Stores a response's reasoning; undefined: it is not stored. */
  keeperFor(key: Owner, model: Remembers & Pick<ModelEntry, 'name'>): StoreAnswer | undefined {
    const { stored } = this;
    if (stored === undefined || !remembers(key, model)) return undefined;
    return async ({ choices: [answer, ...more] }) => {
      const [call] = answer?.calls ?? [];
      if (answer === undefined || call === undefined || more.length > 0) return;
      const { reasoning } = answer;
      if (reasoning === '' || reasoning.length > longest) return;
      await stored.save(
        { id: idOf(call.id), keyId: key.id },
        { previousId: undefined, model: model.name },
        { messages: [{ role: 'assistant', content: null, reasoning, calls: [] }], response: {} },
      );
    };
  }

  /** A conversation with the reasoning that its client left out; the same object if there is none. */
  async recall(key: Owner, model: Remembers, messages: readonly Message[]): Promise<readonly Message[]> {
    if (this.stored === undefined || !remembers(key, model)) return messages;
    const bare = messages.filter(isBare).slice(-mostAnswers);
    if (bare.length === 0) return messages;
    const kept = await this.find(key, bare);
    if (kept.size === 0) return messages;
    return messages.map((message) => {
      const reasoning = isBare(message) ? kept.get(message.calls[0]?.id ?? '') : undefined;
      return reasoning === undefined ? message : { ...message, reasoning };
    });
  }

  /** Reasoning by the id of its response's first call. */
  private async find(key: Owner, bare: readonly Answer[]): Promise<ReadonlyMap<string, string>> {
    const ids = bare.map(({ calls: [call] }) => idOf(call?.id ?? ''));
    const late = sleep(waitMs, new Map<string, never>(), { ref: false });
    const found = await Promise.race([this.stored?.findAll(ids, key.id), late]).catch((error: unknown) => {
      this.reportError(error);
      return undefined;
    });
    const kept = new Map<string, string>();
    for (const [id, { messages }] of found ?? []) {
      const [response] = messages;
      if (response?.role === 'assistant' && response.reasoning !== undefined)
        kept.set(id.slice(prefix.length), response.reasoning);
    }
    return kept;
  }
}

type Answer = Extract<Message, { role: 'assistant' }>;

const prefix = 'reasoning:';
const idOf = (callId: string): string => prefix + callId;

const remembers = ({ storesBodies }: Owner, { keepsReasoning }: Remembers): boolean =>
  storesBodies && keepsReasoning.value;

/** A response with calls whose reasoning is missing. */
const isBare = (message: Message): message is Answer =>
  message.role === 'assistant' &&
  message.calls.length > 0 &&
  (message.reasoning === undefined || message.reasoning === '');
