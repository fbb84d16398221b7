import type { ModelEntry } from '@callsmith/data/snapshot';
import { conversationKey } from '../record/conversation-key.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';

/**
 * The job with its model in the form that an experiment draws for its conversation, or that `auto` chose; a conversation
 * that began before keeps what it began with. The transcript says why. Without either it is the job itself.
 */
export function withChosenStrategy(job: CompletionJob): CompletionJob {
  const { model, record, turn } = job;
  if (model.chosen !== undefined || (model.choice === undefined && model.experiment === undefined)) return job;
  let key: string | undefined;
  const conversation = (): string =>
    (key ??= conversationKey(record.request.key?.id ?? '', turn, record.request.conversation));
  const form = formOf(model, conversation);
  if (form?.chosen === undefined) return job;
  job.response.note({ stage: 'request', detail: form.chosen.why });
  return { ...job, model: form };
}

/** `conversation` is asked only during an experiment and for a day after a move. Undefined: as the model is set. */
function formOf({ experiment, choice }: ModelEntry, conversation: () => string): ModelEntry | undefined {
  if (experiment?.takes(conversation())) return experiment.model;
  return choice?.before?.conversations.has(conversation()) ? choice.before.model : choice?.model;
}
