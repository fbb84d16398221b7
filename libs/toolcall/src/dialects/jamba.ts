import { jsonBlock } from '../families/json-block.ts';

/** `<tool_calls>[⏎    {"name": …, "arguments": {…}}⏎]</tool_calls>` */
export const jamba = jsonBlock({
  name: 'jamba',
  opens: [{ text: '<tool_calls>', at: 'anywhere' }],
  closes: ['</tool_calls>'],
  list: true,
  block: (json) => `<tool_calls>[\n    ${json}\n]</tool_calls>`,
  result: ({ text }) => text,
});
