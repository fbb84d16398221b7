import { jsonBlock } from '../families/json-block.ts';

/** `<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>` */
export const apertus = jsonBlock({
  name: 'apertus',
  opens: [{ text: '<|tools_prefix|>', at: 'anywhere' }],
  closes: ['<|tools_suffix|>'],
  list: true,
  keyed: true,
  residue: '[',
  block: (json) => `<|tools_prefix|>[${json}]<|tools_suffix|>`,
  result: ({ text }) => `[${text}]`,
});
