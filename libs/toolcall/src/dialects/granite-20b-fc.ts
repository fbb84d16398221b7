import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<function_call> {"name": …, "arguments": {…}}`, one marker for each call, no closing marker */
export const granite20bFc = jsonBlock({
  name: 'granite-20b-fc',
  openingMarkers: [{ text: '<function_call>', at: 'anywhere' }],
  closingMarkers: [],
  wrap: (json) => `<function_call> ${json}`,
  strayClosers: ['</function_call>'],
  result: toolResponse,
});
