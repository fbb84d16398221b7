import { jsonBlock } from '../families/json-block.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponseLine } from '../families/result-format.ts';

/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`, after `<think>…</think>` and inside or behind `<answer>…</answer>` */
export const hunyuanA13b = jsonBlock({
  name: 'hunyuan-a13b',
  openingMarkers: [{ text: '<tool_calls>', at: 'anywhere' }],
  closingMarkers: ['</tool_calls>'],
  frames: [
    { text: '<answer>', at: 'anywhere', elsewhere: 'beside-call' },
    { text: '</answer>', at: 'anywhere', elsewhere: 'beside-call' },
  ],
  wrap: (json) => `<tool_calls>[${json}]</tool_calls>`,
  reasoning: [thinkBlock],
  result: toolResponseLine,
});
