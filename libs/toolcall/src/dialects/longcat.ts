import { jsonBlock } from '../families/json-block.ts';

/** `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>` */
export const longcat = jsonBlock({
  name: 'longcat',
  opens: [{ word: '<longcat_tool_call>', at: 'anywhere' }],
  closes: ['</longcat_tool_call>'],
  block: (json) => `<longcat_tool_call>${json}</longcat_tool_call>`,
  result: ({ text }) => `<longcat_tool_response>${text}</longcat_tool_response>`,
});
