import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { tagBlock } from '../families/tag-block.ts';
import { invokeTags } from '../families/tags.ts';

/** `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME"><steptml:parameter name="KEY">VALUE</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>` */
export const step3 = tagBlock({
  name: 'step3',
  blockOpens: [
    { text: '<｜tool_calls_begin｜>', at: 'anywhere' },
    { text: '<|tool_calls_begin|>', at: 'anywhere', rule: 'ascii-marker' },
  ],
  callOpens: [{ text: '<steptml:invoke', at: 'anywhere', rule: 'open-wrapper' }],
  beforeCall: ['<｜tool_call_begin｜>function<｜tool_sep｜>', '<|tool_call_begin|>function<|tool_sep|>'],
  behindCall: ['<｜tool_call_end｜>', '<|tool_call_end|>'],
  shape: invokeTags('steptml:', [
    '<｜tool_calls_end｜>',
    '<|tool_calls_end|>',
    '<｜tool_call_end｜>',
    '<|tool_call_end|>',
  ]),
  writes: {
    before: '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>',
    behind: '<｜tool_call_end｜><｜tool_calls_end｜>',
    newline: '',
  },
  reasoning: [thinkBlock],
  result: toolResponse,
});
