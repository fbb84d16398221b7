import { jsonBlock } from '../families/json-block.ts';

/** ` functools[{"name": …, "arguments": {…}}]` after optional text */
export const firefunctionV2 = jsonBlock({
  name: 'firefunction-v2',
  opens: [{ text: 'functools', at: 'anywhere' }],
  closes: [],
  list: true,
  block: (json) => ` functools[${json}]`,
  result: ({ text }) => text,
});
