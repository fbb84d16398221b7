import { chatml } from '../families/chat-templates.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';
import { tagBlock } from '../families/tag-block.ts';
import { functionTags } from '../families/tags.ts';

/** `<tool_call>⏎<function=NAME>⏎<parameter=KEY>⏎VALUE⏎</parameter>⏎</function>⏎</tool_call>`; the outer tag is often missing */
export const qwen3CoderXml = tagBlock({
  name: 'qwen3-coder-xml',
  blockOpens: [
    { text: '<tool_call>', at: 'anywhere' },
    { text: '<function_invocation>', at: 'line', rule: 'foreign-wrapper' },
    { text: '<tool_use>', at: 'line', rule: 'foreign-wrapper' },
  ],
  callOpens: [{ text: '<function', at: 'line', rule: 'open-wrapper' }],
  shape: functionTags(['</tool_call>', '</function_invocation>', '</tool_use>']),
  style: 'qwen_xml',
  writes: { before: '<tool_call>\n', behind: '\n</tool_call>', ownLines: true },
  reasoning: [thinkBlock],
  result: toolResponse,
  template: chatml,
});
