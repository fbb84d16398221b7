import { jsonBlock } from '../families/json-block.ts';

/** `<|tool_call|>[{"name": …, "arguments": {…}}]` (3.0), `<tool_call>[…]` (3.1 and later); no closer */
export const granite3 = jsonBlock({
  name: 'granite-3',
  opens: [
    { text: '<|tool_call|>', at: 'anywhere' },
    { text: '<tool_call>', at: 'anywhere' },
  ],
  closes: [],
  list: true,
  residue: '[',
  reasoning: [{ open: 'Here is my thought process:', closes: ['Here is my response:'], at: 'answer' }],
  frames: ['Here is my response:'],
  block: (json) => `<|tool_call|>[${json}]`,
  result: ({ text }) => text,
});
