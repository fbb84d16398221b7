import { ToolTable } from '@callsmith/turn';
import type { Dialect, OpeningMarker } from '../dialect.ts';
import { dialects } from '../dialects/index.ts';
import { Remembered } from '../remember.ts';
import { type MarkerEscaper, markerEscaper } from './escape-markers.ts';

/**
 * Words with which a model server or a model begins or ends something, beyond what the dialects' openers say: role
 * tokens of the chat templates, closing tags, wrappers of tool results. In a file's text they must not act (D-14).
 */
const known = [
  // role and turn tokens
  '<|im_start|>',
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|begin_of_text|>',
  '<|end_of_text|>',
  '<|python_tag|>',
  '<|start|>',
  '<|end|>',
  '<|channel|>',
  '<|message|>',
  '<|call|>',
  '<|return|>',
  '<|constrain|>',
  '<|system|>',
  '<|user|>',
  '<|assistant|>',
  '<|observation|>',
  '<|im_system|>',
  '<|im_user|>',
  '<|im_assistant|>',
  '<|im_middle|>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<bos>',
  '<eos>',
  '<s>',
  '</s>',
  '[INST]',
  '[/INST]',
  '[SYSTEM_PROMPT]',
  '[/SYSTEM_PROMPT]',
  '<<SYS>>',
  '<</SYS>>',
  '<｜begin▁of▁sentence｜>',
  '<｜end▁of▁sentence｜>',
  '<｜User｜>',
  '<｜Assistant｜>',
  '<|START_OF_TURN_TOKEN|>',
  '<|END_OF_TURN_TOKEN|>',
  '<|start_of_role|>',
  '<|end_of_role|>',
  '<seed:bos>',
  '<seed:eos>',
  '<|message_sep|>',
  '<|role_sep|>',
  ']~b]',
  '[e~[',
  // calls
  '<tool_call>',
  '</tool_call>',
  '<tool_calls>',
  '</tool_calls>',
  '<|tool_call|>',
  '<|tool_call>',
  '<tool_call|>',
  '<|/tool_call|>',
  '<function=',
  '</function>',
  '</parameter>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
  '<function_call>',
  '</function_call>',
  '<function_calls>',
  '</function_calls>',
  '<invoke name=',
  '</invoke>',
  '<minimax:tool_call>',
  '</minimax:tool_call>',
  '<seed:tool_call>',
  '</seed:tool_call>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '[CALL_ID]',
  '[TOOL_REQUEST]',
  '[END_TOOL_REQUEST]',
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
  '<｜DSML｜',
  '</｜DSML｜',
  '<|tool_calls_section_begin|>',
  '<|tool_calls_section_end|>',
  '<|tool_call_begin|>',
  '<|tool_call_argument_begin|>',
  '<|tool_call_end|>',
  '<|tool_call_start|>',
  '<|START_ACTION|>',
  '<|END_ACTION|>',
  '<|START_THINKING|>',
  '<|END_THINKING|>',
  '<|action_start|>',
  '<|action_end|>',
  '<TOOLCALL>',
  '</TOOLCALL>',
  '<|tools_prefix|>',
  '<|tools_suffix|>',
  '<|function_call|>',
  '<longcat_tool_call>',
  '</longcat_tool_call>',
  '<start_function_call>',
  '<end_function_call>',
  ']<]minimax[>[',
  '✿FUNCTION✿',
  '✿ARGS✿',
  '✿RESULT✿',
  '✿RETURN✿',
  '<think>',
  '</think>',
  '[THINK]',
  '[/THINK]',
  // results
  '<tool_response>',
  '</tool_response>',
  '<tool_result>',
  '</tool_result>',
  '<function_results>',
  '</function_results>',
  '<TOOL_RESPONSE>',
  '</TOOL_RESPONSE>',
  '[TOOL_RESULTS]',
  '[/TOOL_RESULTS]',
  '[TOOL_CONTENT]',
  '[TOOL_RESULT]',
  '[END_TOOL_RESULT]',
  '<|tool_response>',
  '<tool_response|>',
  '<|START_TOOL_RESULT|>',
  '<|END_TOOL_RESULT|>',
  '<｜tool▁outputs▁begin｜>',
  '<｜tool▁output▁begin｜>',
  '<｜tool▁output▁end｜>',
  '<｜tool▁outputs▁end｜>',
] as const;

/**
 * Every marker that could act in a prompt of this dialect: those above, its own openers and frames, and the openers of
 * the dialects that are listened for beside it. A marker is cut before its first quote, backslash or control character, so that it reads
 * the same inside a JSON string; words that only count at the answer's start cannot act in a prompt.
 */
export const liveMarkers = (dialect: Dialect, tools: ToolTable): readonly string[] =>
  allMarkers(dialect, textsOf(dialect.openingMarkers(tools, true)));

/** The neutraliser of a dialect with these tools; made once for the same words. */
export function escaperFor(dialect: Dialect, tools: ToolTable): MarkerEscaper {
  const own = textsOf(dialect.openingMarkers(tools, true));
  return escapers.get(`${dialect.name}\n${own.join('\n')}`, () => markerEscaper(allMarkers(dialect, own)));
}

const escapers = new Remembered<MarkerEscaper>(256, 1_000_000, () => 4096);

function allMarkers(dialect: Dialect, own: readonly string[]): readonly string[] {
  const frames = (dialect.frames ?? []).map((frame) => frame.trim()).filter((frame) => frame.length > 6);
  return [...new Set([...parsedMarkers(), ...own, ...frames])].sort();
}

let beside: readonly string[] | undefined;

function parsedMarkers(): readonly string[] {
  const none = new ToolTable();
  beside ??= [
    ...new Set([
      ...known,
      ...dialects
        .filter((dialect) => !dialect.ambiguous)
        .flatMap((dialect) => textsOf(dialect.openingMarkers(none, false))),
    ]),
  ];
  return beside;
}

function textsOf(openers: readonly OpeningMarker[]): string[] {
  const words = openers
    .filter((opener) => opener.at !== 'answer')
    .map((opener) => opener.text.trim().replace(/["\\\u0000-\u001f].*$/s, ''));
  return words.filter((word) => word.length >= 3 && /\p{L}/u.test(word));
}
