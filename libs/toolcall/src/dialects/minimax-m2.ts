import { minimaxTemplate } from '../families/chat-templates.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { resultBetween } from '../families/result-format.ts';
import { tagBlock } from '../families/tag-block.ts';
import { invokeTags } from '../families/tags.ts';
import { several } from '../families/tool-prompt.ts';

/** A result as MiniMax's models see it; the tag alone could be prose. */
export const minimaxResult = resultBetween('<response>', '</response>', { at: 'line', ambiguous: true });

/** `<minimax:tool_call>⏎<invoke name="NAME">⏎<parameter name="KEY">VALUE</parameter>⏎</invoke>⏎</minimax:tool_call>`; several invokes in one block */
export const minimaxM2 = tagBlock({
  name: 'minimax-m2',
  blockOpens: [{ text: '<minimax:tool_call>', at: 'anywhere' }],
  shape: invokeTags('', ['</minimax:tool_call>']),
  style: 'minimax_xml',
  writes: { before: '<minimax:tool_call>\n', behind: '\n</minimax:tool_call>' },
  reasoning: [thinkBlock],
  result: minimaxResult,
  template: minimaxTemplate,
  rules: [several('For several calls put several invokes into one block.')],
});
