import { jsonBlock } from '../families/json-block.ts';

/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`, after `<think>…</think>` and inside or behind `<answer>…</answer>` */
export const hunyuanA13b = jsonBlock({
  name: 'hunyuan-a13b',
  opens: [{ text: '<tool_calls>', at: 'anywhere' }],
  closes: ['</tool_calls>'],
  list: true,
  frames: ['<answer>', '</answer>'],
  block: (json) => `<tool_calls>[${json}]</tool_calls>`,
  result: ({ text }) => `<tool_response>${text}</tool_response>`,
});
