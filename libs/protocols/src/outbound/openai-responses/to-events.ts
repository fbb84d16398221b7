import { Fault, isObject, type JsonValue, type UpstreamEvent } from '@callsmith/turn';
import { faultIn } from '../to-fault.ts';
import { responsesUsage } from '../usage-event.ts';
import { callFragment, itemEvents, reasonOf, responseStart } from './output.ts';

/** A whole response as the events it would have been. Throws `upstream_invalid_answer`, or the error it contains. */
export function responseToEvents(whole: JsonValue): UpstreamEvent[] {
  if (!isObject(whole))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response that is not a JSON object.');
  const fault = faultIn(whole);
  if (fault) throw fault;
  if (!Array.isArray(whole.output))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response without `output`.');
  let calls = 0;
  const events = whole.output.flatMap((item): UpstreamEvent[] => {
    if (!isObject(item)) return [];
    if (item.type !== 'function_call') return itemEvents(item);
    const index = calls;
    calls += 1;
    return [callFragment(item, index)];
  });
  const usage = responsesUsage(whole.usage);
  return [
    responseStart(whole),
    ...events,
    ...(usage ? [usage] : []),
    { type: 'turn-end', choice: 0, reason: reasonOf(whole) },
  ];
}
