import { jsonBlock } from '../families/json-block.ts';

/** `<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>` */
export const nemotronToolcall = jsonBlock({
  name: 'nemotron-toolcall',
  opens: [{ text: '<TOOLCALL>', at: 'anywhere' }],
  closes: ['</TOOLCALL>'],
  list: true,
  block: (json) => `<TOOLCALL>[${json}]</TOOLCALL>`,
  result: ({ text }) => `<TOOL_RESPONSE>[${text}]</TOOL_RESPONSE>`,
});
