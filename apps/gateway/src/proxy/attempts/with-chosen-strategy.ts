import type { ModelEntry } from '@callsmith/data/snapshot';
import { conversationKey } from '../record/conversation-key.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';

/**
 * The job with its model as an experiment draws for its conversation, or as `auto` chose; a conversation that began
 * before keeps its strategy. The transcript says why. Without either it is the same job.
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
 * `conversation` is computed only during an experiment and for a day after a switch. Undefined: by the model's setting.
 */
function formOf({ experiment, choice }: ModelEntry, conversation: () => string): ModelEntry | undefined {
  if (experiment?.takes(conversation())) return experiment.model;
  return choice?.before?.conversations.has(conversation()) ? choice.before.model : choice?.model;
}
