import type { Folded, FoldedCall, FoldedChoice, JsonObject, Turn } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { customInput } from '../custom-input.ts';
import { chatUsage } from './usage.ts';

/** A whole answer as `chat.completion`. */
export const wholeChatResponse = (turn: Turn, head: ResponseHead, folded: Folded): JsonObject => ({
  id: head.id,
  object: 'chat.completion',
  created: head.createdAt,
  model: head.model,
  choices: (folded.choices.length > 0 ? folded.choices : [nothing]).map((choice, index) =>
    wholeChoice(turn, choice, index),
  ),
  ...(folded.usage && { usage: chatUsage(folded.usage) }),
});

const nothing: FoldedChoice = { text: '', reasoning: '', calls: [], reason: 'stop', notes: [] };

function wholeChoice(turn: Turn, choice: FoldedChoice, index: number): JsonObject {
  const calls = choice.calls.filter((call) => call?.whole);
  const { logprobs = null, ...extra } = choice.extra ?? {};
  return {
    index,
    message: {
      role: 'assistant',
      content: choice.text === '' && calls.length > 0 ? null : choice.text,
      refusal: null,
      ...(choice.reasoning !== '' && { reasoning_content: choice.reasoning }),
      ...extra,
      ...(calls.length > 0 && { tool_calls: calls.map((call) => wholeCall(turn, call)) }),
    },
    logprobs,
    finish_reason: choice.reason ?? 'stop',
  };
}

function wholeCall(turn: Turn, call: FoldedCall): JsonObject {
  const declared = turn.tools.get(call.name)?.declared;
  if (declared?.as === 'custom')
    return { id: call.id, type: 'custom', custom: { name: declared.name, input: customInput(call.arguments) } };
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}
