import { chatml } from '../families/chat-templates.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { tagBlock, writeTags } from '../families/tag-block.ts';

/** `<tool_call>⏎<function=NAME>⏎<parameter=KEY>⏎VALUE⏎</parameter>⏎</function>⏎</tool_call>`; the outer tag is often missing */
export const qwen3CoderXml = tagBlock({
  name: 'qwen3-coder-xml',
  wraps: [
    { text: '<tool_call>', at: 'anywhere' },
    { text: '<function_invocation>', at: 'line', rule: 'foreign-wrapper' },
    { text: '<tool_use>', at: 'line', rule: 'foreign-wrapper' },
  ],
  unwrapped: [{ text: '<function', at: 'line', rule: 'open-wrapper' }],
  shape: {
    call: '<function',
    callEnd: '</function>',
    param: '<parameter',
    paramEnd: '</parameter>',
    style: '=',
    strip: true,
    wrapEnds: ['</tool_call>', '</function_invocation>', '</tool_use>'],
  },
  write: (call) =>
    writeTags(
      call,
      (name) => `<tool_call>\n<function=${name}>\n`,
      (key, raw) => `<parameter=${key}>\n${raw}\n</parameter>\n`,
      '</function>\n</tool_call>',
    ),
  reasoning: [thinkBlock],
  result: toolResponse,
  template: chatml,
});
