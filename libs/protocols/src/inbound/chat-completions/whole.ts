import {
  copyMembers,
  copyNumberSources,
  type Folded,
  type FoldedCall,
  type FoldedChoice,
  holdNumbersOf,
  type JsonObject,
  type Turn,
} from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { customInput } from '../custom-input.ts';
import { isLegacy } from './legacy-functions.ts';
import { chatUsage } from './usage.ts';

/** A whole response as `chat.completion`. */
export function wholeChatResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject {
  const choices = folded.choices.length > 0 ? folded.choices : [nothing];
  const whole: JsonObject = {
    id: head.id,
    object: 'chat.completion',
    created: head.createdAt,
    model: head.model,
    choices: choices.map((choice, index) => wholeChoice(turn, choice, index)),
    ...(folded.usage && { usage: chatUsage(folded.usage) }),
  };
  for (const { extra, ending } of choices) holdNumbersOf([extra, ending], whole);
  return folded.extra ? copyMembers(folded.extra, whole) : whole;
}

const nothing: FoldedChoice = { text: '', reasoning: '', calls: [], reason: 'stop', notes: [] };

function wholeChoice(turn: Turn, choice: FoldedChoice, index: number): JsonObject {
  const calls = choice.calls.filter((call) => call?.whole);
  const { logprobs = null, ...extra } = choice.extra ?? {};
  if (choice.extra) copyNumberSources(choice.extra, extra);
  return copyMembers(choice.ending ?? {}, {
    index,
    message: copyMembers(extra, {
      role: 'assistant',
      content: choice.text === '' && calls.length > 0 ? null : choice.text,
      refusal: null,
      ...(choice.reasoning !== '' && { reasoning_content: choice.reasoning }),
      ...(calls.length > 0 && callMembers(turn, calls)),
    }),
    logprobs,
    finish_reason: choice.reason === 'tool_calls' && isLegacy(turn) ? 'function_call' : (choice.reason ?? 'stop'),
  });
}

function callMembers(turn: Turn, calls: readonly FoldedCall[]): JsonObject {
  const [first] = calls;
  if (isLegacy(turn) && first) return { function_call: { name: first.name, arguments: first.arguments } };
  return { tool_calls: calls.map((call) => wholeCall(turn, call)) };
}

function wholeCall(turn: Turn, call: FoldedCall): JsonObject {
  const declared = turn.tools.get(call.name)?.declared;
  if (declared?.as === 'custom')
    return { id: call.id, type: 'custom', custom: { name: declared.name, input: customInput(call.arguments) } };
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}
