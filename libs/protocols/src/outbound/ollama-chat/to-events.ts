import { Fault, isObject, type JsonValue, type UpstreamEvent } from '@callsmith/turn';
import { faultIn } from '../to-fault.ts';
import { endOf, messageEvents, startOf, usageIn } from './message-events.ts';

/**
 * A whole response as the events it would have been. Throws `upstream_invalid_answer`, or the error that it contains.
 */
export function ollamaToEvents(whole: JsonValue): UpstreamEvent[] {
  if (!isObject(whole))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response that is not a JSON object.');
  const fault = faultIn(whole);
  if (fault) throw fault;
  if (!isObject(whole.message))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response without `message`.');
  const events = messageEvents(whole, 0);
  const usage = usageIn(whole);
  const called = events.some(({ type }) => type === 'call-fragment');
  return [startOf(whole), ...events, ...(usage ? [usage] : []), endOf(whole, called)];
}
