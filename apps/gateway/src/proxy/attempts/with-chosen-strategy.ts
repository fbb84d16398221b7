import type { ModelEntry } from '@callsmith/data/snapshot';
import { conversationKey } from '../record/conversation-key.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';

/**
 * Applies the strategy that an experiment draws for the conversation, or that `auto` chose. A conversation that began
 * before a switch keeps its strategy. A note in the transcript gives the reason. Returns the very same job without
 * either.
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

/**
 * The model with the strategy to use; undefined: as its settings say. `conversation` is a function because its key is
 * needed only during an experiment and for a day after a switch.
 */
function formOf({ experiment, choice }: ModelEntry, conversation: () => string): ModelEntry | undefined {
  if (experiment?.takes(conversation())) return experiment.model;
  return choice?.before?.conversations.has(conversation()) ? choice.before.model : choice?.model;
}
