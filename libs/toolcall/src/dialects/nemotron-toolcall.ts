import { jsonBlock } from '../families/json-block.ts';
import { thinkBlock } from '../families/reasoning.ts';

/** `<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>` */
export const nemotronToolcall = jsonBlock({
  name: 'nemotron-toolcall',
  openingMarkers: [{ text: '<TOOLCALL>', at: 'anywhere' }],
  closingMarkers: ['</TOOLCALL>'],
  wrap: (json) => `<TOOLCALL>[${json}]</TOOLCALL>`,
  reasoning: [thinkBlock],
  result: {
    renderResult: ({ text }) => `<TOOL_RESPONSE>[${text}]</TOOL_RESPONSE>`,
    resultMarkers: [{ text: '<TOOL_RESPONSE>', at: 'anywhere' }],
    resultEnds: ['</TOOL_RESPONSE>'],
  },
});
