import { chatml } from '../families/chat-templates.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { renderTags, tagBlock } from '../families/tag-block.ts';

/** `<tool_call>⏎<function=NAME>⏎<parameter=KEY>⏎VALUE⏎</parameter>⏎</function>⏎</tool_call>`; the outer tag is often missing */
export const qwen3CoderXml = tagBlock({
  name: 'qwen3-coder-xml',
  blockOpens: [
    { text: '<tool_call>', at: 'anywhere' },
    { text: '<function_invocation>', at: 'line', rule: 'foreign-wrapper' },
    { text: '<tool_use>', at: 'line', rule: 'foreign-wrapper' },
  ],
  callOpens: [{ text: '<function', at: 'line', rule: 'open-wrapper' }],
  shape: {
    callOpen: '<function',
    callClose: '</function>',
    parameterOpen: '<parameter',
    parameterClose: '</parameter>',
    nameStyle: '=',
    stripsNewlines: true,
    blockCloses: ['</tool_call>', '</function_invocation>', '</tool_use>'],
  },
  renderCall: (call) =>
    renderTags(
      call,
      (name) => `<tool_call>\n<function=${name}>\n`,
      (key, raw) => `<parameter=${key}>\n${raw}\n</parameter>\n`,
      '</function>\n</tool_call>',
    ),
  reasoning: [thinkBlock],
  result: toolResponse,
  template: chatml,
});
