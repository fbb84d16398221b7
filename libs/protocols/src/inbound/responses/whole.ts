import type { Folded, FoldedChoice, JsonObject, Turn } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { callItem, callItemOf, messageItem, reasoningItem, summaryPart, textPart } from './output-items.ts';
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
  if (choice.reasoning !== '') items.push(reasoningItem(id('rs'), summaryPart(choice.reasoning)));
  if (choice.text !== '') items.push(messageItem(id('msg'), 'completed', textPart(choice.text)));
  for (const call of choice.calls) {
    if (!call?.whole) continue;
    const item = callItemOf(turn, call.id, call.name);
    items.push(callItem(id(item.custom ? 'ctc' : 'fc'), 'completed', item, call.arguments));
  }
  return items;
}
