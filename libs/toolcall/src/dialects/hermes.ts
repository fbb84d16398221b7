import { jsonBlock } from '../families/json-block.ts';

/** `<tool_call>⏎{"name": …, "arguments": {…}}⏎</tool_call>` */
export const hermes = jsonBlock({
  name: 'hermes',
  opens: [{ text: '<tool_call>', at: 'anywhere' }],
  closes: ['</tool_call>'],
  residue: '{',
  block: (json) => `<tool_call>\n${json}\n</tool_call>`,
  result: ({ text }) => `<tool_response>\n${text}\n</tool_response>`,
});
