import { seedTemplate } from '../families/chat-templates.ts';
import { resultBetween } from '../families/result-format.ts';
import { tagBlock } from '../families/tag-block.ts';
import { functionTags } from '../families/tags.ts';

/** `<seed:tool_call>⏎<function=NAME>⏎<parameter=KEY>VALUE</parameter>⏎</function>⏎</seed:tool_call>` */
export const seedOss = tagBlock({
  name: 'seed-oss',
  blockOpens: [{ text: '<seed:tool_call>', at: 'anywhere' }],
  shape: functionTags(['</seed:tool_call>']),
  reasoning: [
    { open: '<seed:think>', closes: ['</seed:think>'], at: 'anywhere', elsewhere: 'line', openedByPrompt: true },
  ],
  style: 'qwen_xml',
  writes: { before: '<seed:tool_call>\n', behind: '\n</seed:tool_call>' },
  result: resultBetween('<seed:tool_response>\n', '\n</seed:tool_response>'),
  template: seedTemplate,
});
