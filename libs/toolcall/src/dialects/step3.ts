import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { tagBlock, writeTags } from '../families/tag-block.ts';

/** `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME"><steptml:parameter name="KEY">VALUE</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>` */
export const step3 = tagBlock({
  name: 'step3',
  wraps: [
    { text: '<｜tool_calls_begin｜>', at: 'anywhere' },
    { text: '<|tool_calls_begin|>', at: 'anywhere', rule: 'ascii-marker' },
  ],
  unwrapped: [{ text: '<steptml:invoke', at: 'anywhere', rule: 'open-wrapper' }],
  lead: ['<｜tool_call_begin｜>function<｜tool_sep｜>', '<|tool_call_begin|>function<|tool_sep|>'],
  trail: ['<｜tool_call_end｜>', '<|tool_call_end|>'],
  shape: {
    call: '<steptml:invoke',
    callEnd: '</steptml:invoke>',
    param: '<steptml:parameter',
    paramEnd: '</steptml:parameter>',
    style: 'name',
    strip: true,
    wrapEnds: ['<｜tool_calls_end｜>', '<|tool_calls_end|>', '<｜tool_call_end｜>', '<|tool_call_end|>'],
  },
  write: (call) =>
    writeTags(
      call,
      (name) => `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">`,
      (key, raw) =>
        `<steptml:parameter name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</steptml:parameter>`,
      '</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    ),
  reasoning: [thinkBlock],
  result: toolResponse,
});
