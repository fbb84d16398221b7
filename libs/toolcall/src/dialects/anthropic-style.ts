import type { ResultFormat } from '../dialect.ts';
import { tagBlock } from '../families/tag-block.ts';
import { invokeTags } from '../families/tags.ts';

/** Results as Claude's prompts show them. */
export const anthropicResult: ResultFormat = {
  renderResult: ({ name, text }) =>
    `<function_results>\n<result>\n<tool_name>${name}</tool_name>\n<stdout>${text}</stdout>\n</result>\n</function_results>`,
  resultMarkers: ['<function_results>', '<function_response>'].map((text) => ({ text, at: 'anywhere' })),
  resultEnds: ['</function_results>'],
};

/**
 * `<function_calls>⏎<invoke name="NAME">⏎<parameter name="KEY">VALUE</parameter>⏎</invoke>⏎</function_calls>`,
 * and variants of its outer tag
 */
export const anthropicStyle = tagBlock({
  name: 'anthropic-style',
  blockOpens: [
    { text: '<function_calls>', at: 'anywhere' },
    { text: '<tool_use>', at: 'line', rule: 'foreign-wrapper' },
    { text: '<function_invocation>', at: 'line', rule: 'foreign-wrapper' },
    { text: '<tool_calls>', at: 'line', rule: 'foreign-wrapper' },
    { text: '<tool_call>', at: 'line', rule: 'foreign-wrapper' },
  ],
  callOpens: [{ text: '<invoke', at: 'line', rule: 'open-wrapper' }],
  shape: invokeTags('', [
    '</function_calls>',
    '</tool_use>',
    '</function_invocation>',
    '</tool_calls>',
    '</tool_call>',
  ]),
  style: 'minimax_xml',
  writes: { before: '<function_calls>\n', behind: '\n</function_calls>' },
  reasoning: [{ open: '<thinking>', closes: ['</thinking>'], at: 'line', elsewhere: 'line' }],
  result: anthropicResult,
});
