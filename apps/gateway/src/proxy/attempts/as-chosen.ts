import type { ModelEntry } from '@callsmith/data/snapshot';
import { conversationKey } from '../record/conversation-key.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';

/**
 * The job with its model in the form that `auto` chose; a conversation that began before keeps what it began with. The
 * transcript says why. Without a choice it is the job itself.
 */
export function asChosen(job: CompletionJob): CompletionJob {
  const { model, record, turn } = job;
  if (model.choice === undefined || model.strategy.value !== 'auto' || model.chosenBecause !== undefined) return job;
  const chosen = inConversation(model.choice, () =>
    conversationKey(record.request.key?.id ?? '', turn, record.request.conversation),
  );
  job.response.note({ stage: 'request', detail: `auto: ${chosen.chosenBecause}` });
  return { ...job, model: chosen };
}

/** `conversation` is asked only while there are conversations from before the last move. */
function inConversation({ model, before }: NonNullable<ModelEntry['choice']>, conversation: () => string): ModelEntry {
  return before?.conversations.has(conversation()) ? before.model : model;
}
