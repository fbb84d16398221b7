import { type Folded, type FoldedChoice, holdNumbersOf, type JsonObject, type Turn } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { callPart, finishReasonOf, showsThoughts, usageMetadata } from './candidate.ts';
import { isOneValue, valueIn } from './one-value.ts';

/** A whole response: its candidates and its counts. */
export function wholeGenerateResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject {
  const calls: object[] = [];
  const whole: JsonObject = {
    candidates: folded.choices.map((choice, index) => ({
      content: { role: 'model', parts: partsOf(turn, choice, calls) },
      finishReason: finishReasonOf(choice.reason),
      index,
    })),
    ...usageMetadata(folded.usage),
    modelVersion: head.model,
    responseId: head.id,
  };
  holdNumbersOf(calls, whole);
  return whole;
}

/** Parts of a choice; its calls are added to `held` as well. */
function partsOf(turn: Turn, { reasoning, text, calls }: FoldedChoice, held: object[]): JsonObject[] {
  const parts: JsonObject[] = [];
  if (reasoning !== '' && showsThoughts(turn)) parts.push({ text: reasoning, thought: true });
  if (text !== '') parts.push({ text: isOneValue(turn) ? valueIn(text) : text });
  let signed = reasoning;
  for (const call of calls) {
    if (!call?.whole) continue;
    const part = callPart(turn, call, signed);
    signed = '';
    held.push(part);
    parts.push(part);
  }
  // Clients access the first part without checking that it exists.
  return parts.length > 0 ? parts : [{ text: '' }];
}
