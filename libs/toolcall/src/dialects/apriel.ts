import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `Here are my reasoning steps:⏎…[BEGIN FINAL RESPONSE]⏎<tool_calls>[{"name": …, "arguments": {…}, "id": …}]</tool_calls>` */
export const apriel = jsonBlock({
  name: 'apriel',
  openingMarkers: [{ text: '<tool_calls>', at: 'anywhere' }],
  closingMarkers: ['</tool_calls>'],
  reasoning: [{ open: 'Here are my reasoning steps:', closes: ['[BEGIN FINAL RESPONSE]'], at: 'answer' }],
  frames: [
    { text: '[BEGIN FINAL RESPONSE]', at: 'anywhere', elsewhere: 'beside-call' },
    { text: '[END FINAL RESPONSE]', at: 'anywhere', elsewhere: 'beside-call' },
  ],
  wrap: (json) => `<tool_calls>[${json}]</tool_calls>`,
  result: toolResponse,
});
