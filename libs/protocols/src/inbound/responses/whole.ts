import type { Folded, FoldedChoice, JsonObject, Turn } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { callItem, callItemOf, callPrefix, messageItem, reasoningItem, wantsEncrypted } from './output-items.ts';
import { incompleteReason, ResponseWriter } from './response.ts';

/** A whole answer as a response object. */
export function wholeResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject {
  const choice = folded.choices[0];
  const incomplete = incompleteReason(choice?.reason);
  const json = new ResponseWriter(head, turn).json({
    status: incomplete ? 'incomplete' : 'completed',
    output: choice ? itemsOf(turn, head, choice) : [],
    usage: folded.usage,
    ...(incomplete && { incomplete }),
  });
  return JSON.parse(json) as JsonObject;
}

function itemsOf(turn: Turn, head: ResponseHead, choice: FoldedChoice): string[] {
  const items: string[] = [];
  const id = (prefix: string): string => `${prefix}_${head.id.replace(/^resp_/, '')}_${items.length}`;
  const calls = choice.calls.filter((call) => call?.whole);
  // What the answer ended in; a call that was cut is left out.
  const last = incompleteReason(choice.reason) ? 'incomplete' : 'completed';
  if (choice.reasoning !== '') {
    const status = choice.text === '' && calls.length === 0 ? last : 'completed';
    items.push(reasoningItem(id('rs'), status, choice.reasoning, wantsEncrypted(turn)));
  }
  if (choice.text !== '') items.push(messageItem(id('msg'), calls.length === 0 ? last : 'completed', choice.text));
  for (const call of calls) {
    const item = callItemOf(turn, call.id, call.name);
    items.push(callItem(id(callPrefix(item)), 'completed', item, call.arguments));
  }
  return items;
}
