import { jsonBlock } from '../families/json-block.ts';

/** `<|action_start|><|plugin|>⏎{"name": …, "parameters": {…}}<|action_end|>`; a space may part the two markers */
export const internlm2 = jsonBlock({
  name: 'internlm2',
  opens: [{ text: '<|action_start|>', at: 'anywhere' }],
  lead: ['<|plugin|>', '<|interpreter|>'],
  closes: ['<|action_end|>'],
  keys: ['name', 'parameters'],
  residue: '{',
  block: (json) => `<|action_start|><|plugin|>\n${json}<|action_end|>`,
  result: ({ text }) => text,
});
