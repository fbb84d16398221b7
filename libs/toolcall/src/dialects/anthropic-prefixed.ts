import { tagBlock } from '../families/tag-block.ts';
import { invokeTags } from '../families/tags.ts';
import { anthropicResult } from './anthropic-style.ts';

const prefix = 'antml:';

/** The tags of `anthropic-style` with a namespace before their names, as models imitate newer prompts of Claude. */
export const anthropicPrefixed = tagBlock({
  name: 'anthropic-prefixed',
  blockOpens: [
    { text: `<${prefix}function_calls>`, at: 'anywhere' },
    { text: '<function_calls>', at: 'anywhere' },
  ],
  callOpens: [{ text: `<${prefix}invoke`, at: 'line', rule: 'open-wrapper' }],
  shape: invokeTags(prefix, [`</${prefix}function_calls>`, '</function_calls>']),
  writes: { before: `<${prefix}function_calls>\n`, behind: `\n</${prefix}function_calls>` },
  result: anthropicResult,
});
