import {
  type Folded,
  type FoldedCall,
  type FoldedChoice,
  holdNumbersOf,
  type JsonObject,
  type Turn,
} from '@callsmith/turn';
import { argumentsObject } from '../../arguments-object.ts';
import type { ResponseHead } from '../../inbound-adapter.ts';

import { stopReasonOf } from './stop-reason.ts';
import { thinkingDisplay, thinkingSignature } from './thinking.ts';
import { clientName } from './tools.ts';
import { messageUsage } from './usage.ts';

/** A whole response as a message. */
export function wholeMessage(turn: Turn, head: ResponseHead, folded: Folded): JsonObject {
  const choice = folded.choices[0];
  const content = choice ? blocksOf(turn, choice) : [];
  const whole: JsonObject = {
    id: head.id,
    type: 'message',
    role: 'assistant',
    model: head.model,
    // Clients access the first block without checking that it exists.
    content: content.length > 0 ? content : [{ type: 'text', text: '' }],
    ...stopReasonOf(turn, choice?.reason, choice?.ending),
    usage: messageUsage(folded.usage),
  };
  holdNumbersOf(
    content.map(({ input }) => input),
    whole,
  );
  return whole;
}

function blocksOf(turn: Turn, { reasoning, text, calls }: FoldedChoice): JsonObject[] {
  const blocks: JsonObject[] = [];
  const shown = thinkingDisplay(turn);
  if (reasoning !== '' && shown !== 'none')
    blocks.push({
      type: 'thinking',
      thinking: shown === 'text' ? reasoning : '',
      signature: thinkingSignature(reasoning, shown),
    });
  if (text !== '') blocks.push({ type: 'text', text });
  for (const call of calls) if (call?.whole) blocks.push(callBlock(turn, call));
  return blocks;
}

function callBlock(turn: Turn, { id, name, arguments: json }: FoldedCall): JsonObject {
  return {
    type: 'tool_use',
    id,
    name: clientName(turn, name),
    input: argumentsObject(json) ?? { input: json },
  };
}
