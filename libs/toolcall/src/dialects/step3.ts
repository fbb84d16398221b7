import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { renderTags, tagBlock } from '../families/tag-block.ts';

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
  shape: {
    callOpen: '<steptml:invoke',
    callClose: '</steptml:invoke>',
    parameterOpen: '<steptml:parameter',
    parameterClose: '</steptml:parameter>',
    nameStyle: 'name',
    stripsNewlines: true,
    blockCloses: ['<｜tool_calls_end｜>', '<|tool_calls_end|>', '<｜tool_call_end｜>', '<|tool_call_end|>'],
  },
  renderCall: (call) =>
    renderTags(
      call,
      (name) => `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">`,
      (key, raw) =>
        `<steptml:parameter name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</steptml:parameter>`,
      '</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    ),
  reasoning: [thinkBlock],
  result: toolResponse,
});
