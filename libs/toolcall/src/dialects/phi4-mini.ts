import { jsonBlock } from '../families/json-block.ts';

/** `functools[{"name": …, "arguments": {…}}]`; some templates write `<|tool_call|>[…]<|/tool_call|>` */
export const phi4Mini = jsonBlock({
  name: 'phi4-mini',
  opens: [
    { text: 'functools', at: 'anywhere' },
    { text: '<|tool_call|>', at: 'anywhere' },
  ],
  closes: [],
  list: true,
  frames: ['<|/tool_call|>'],
  block: (json) => `functools[${json}]`,
  result: ({ text }) => text,
});
