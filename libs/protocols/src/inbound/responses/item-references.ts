import { Fault, isObject, type JsonValue } from '@callsmith/turn';
import type { FindResponse, StoredResponse } from '../../inbound-adapter.ts';

/** Items contain the id of their response: `msg_92dc…_0` is the first of `resp_92dc…`. */
const itemId = /^[a-z]+_([0-9A-Za-z]+)_\d+$/;

/**
 * Replaces `{"type":"item_reference","id"}` in a `/v1/responses` body with stored items, which a client may send
 * instead of repeating them. The body is changed in place. Throws `invalid_parameter` for an item that is not stored,
 * and for one that is referenced twice: a short body could otherwise expand without limit.
 */
export async function resolveItems(body: JsonValue, most: number, find: FindResponse): Promise<void> {
  // Longer input is refused without any lookup.
  if (!isObject(body) || !Array.isArray(body.input) || body.input.length > most) return;
  const found = new Map<string, Promise<StoredResponse | undefined>>();
  const taken = new Set<string>();
  for (const [at, item] of body.input.entries()) {
    if (!isObject(item) || item.type !== 'item_reference') continue;
    const id = typeof item.id === 'string' ? item.id : '';
    if (taken.has(id))
      throw new Fault('invalid_parameter', `input[${at}].id: the item "${id.slice(0, 100)}" is referenced twice.`, {
        param: `input[${at}].id`,
      });
    taken.add(id);
    const response = `resp_${itemId.exec(id)?.[1] ?? ''}`;
    const stored = found.get(response) ?? find(response);
    found.set(response, stored);
    const output = (await stored)?.response.output;
    const whole = Array.isArray(output) ? output.find((one) => isObject(one) && one.id === id) : undefined;
    if (whole === undefined)
      throw new Fault(
        'invalid_parameter',
        `input[${at}].id: no item "${id.slice(0, 100)}" is stored for this key. Send the item itself; only items of stored responses are available.`,
        { param: `input[${at}].id` },
      );
    body.input[at] = whole;
  }
}
