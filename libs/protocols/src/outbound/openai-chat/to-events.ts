import { Fault, isObject, type JsonValue, type UpstreamEvent } from '@callsmith/turn';
import { chatUsage } from '../usage-event.ts';
import { choiceEvents, choiceExtra, choiceIndex, finishReason, maxChoices, turnStart } from './deltas.ts';
import { readCompletion } from './read-completion.ts';

/**
 * A whole `chat.completion` as the events it would have been. Throws `upstream_invalid_answer`, or the error it
 * contains.
 */
export function chatToEvents(whole: JsonValue): UpstreamEvent[] {
  const completion = readCompletion(whole);
  const events: UpstreamEvent[] = [];
  const ends: UpstreamEvent[] = [];
  completion.choices.slice(0, maxChoices).forEach((choice, at) => {
    if (!isObject(choice)) return;
    const index = choiceIndex(choice, at);
    events.push(turnStart(completion, index));
    for (const event of numbered(choiceEvents(choice, index))) events.push(event);
    const reason = finishReason(typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop');
    if (!reason) throw new Fault('upstream_cut_off', 'The model server ended its response with an error.');
    const extra = choiceExtra(choice);
    ends.push({ type: 'turn-end', choice: index, reason, ...(extra && { extra }) });
  });
  const usage = chatUsage(completion.usage);
  return [...events, ...(usage ? [usage] : []), ...ends];
}

/** Calls of a whole message are a list and have no index. */
function numbered(events: readonly UpstreamEvent[]): UpstreamEvent[] {
  let next = 0;
  return events.map((event) => (event.type === 'call-fragment' ? { index: event.index ?? next++, ...event } : event));
}
