import { chatml } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<tool_call>⏎{"name": …, "arguments": {…}}⏎</tool_call>` */
export const hermes = jsonBlock({
  name: 'hermes',
  openingMarkers: [{ text: '<tool_call>', at: 'anywhere' }],
  closingMarkers: ['</tool_call>'],
  strippedStart: '{',
  wrap: (json) => `<tool_call>\n${json}\n</tool_call>`,
  reasoning: [thinkBlock, { open: '<scratch_pad>', closes: ['</scratch_pad>'], at: 'line', elsewhere: 'line' }],
  result: toolResponse,
  template: chatml,
});
