import { jsonBlock } from '../families/json-block.ts';

/** `<function_call> {"name": …, "arguments": {…}}`, one marker for each call, no closer */
export const granite20bFc = jsonBlock({
  name: 'granite-20b-fc',
  opens: [{ text: '<function_call>', at: 'anywhere' }],
  closes: [],
  block: (json) => `<function_call> ${json}`,
  result: ({ text }) => text,
});
