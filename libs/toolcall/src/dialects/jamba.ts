import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<tool_calls>[⏎    {"name": …, "arguments": {…}}⏎]</tool_calls>` */
export const jamba = jsonBlock({
  name: 'jamba',
  openingMarkers: [{ text: '<tool_calls>', at: 'anywhere' }],
  closingMarkers: ['</tool_calls>'],
  wrap: (json) => `<tool_calls>[\n    ${json}\n]</tool_calls>`,
  result: toolResponse,
});
