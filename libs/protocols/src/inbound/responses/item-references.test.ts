import type { JsonValue } from '@callsmith/turn';
import { expect, it } from 'vitest';
import type { StoredResponse } from '../../inbound-adapter.ts';
import { resolveItems } from './item-references.ts';

const item = { type: 'message', id: 'msg_a_0', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
const stored: StoredResponse = { messages: [], response: { output: [item] } };
const reference = { type: 'item_reference', id: 'msg_a_0' };

it('a reference becomes its item, once: a short request cannot grow without limit', async () => {
  const once: JsonValue = { input: [reference] };
  await resolveItems(once, 100, async () => stored);
  expect(once).toEqual({ input: [item] });
  await expect(resolveItems({ input: [reference, reference] }, 100, async () => stored)).rejects.toMatchObject({
    code: 'invalid_parameter',
    param: 'input[1].id',
  });
});
