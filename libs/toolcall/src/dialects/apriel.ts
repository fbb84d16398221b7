import { jsonBlock } from '../families/json-block.ts';

/** `Here are my reasoning steps:⏎…[BEGIN FINAL RESPONSE]⏎<tool_calls>[{"name": …, "arguments": {…}, "id": …}]</tool_calls>` */
export const apriel = jsonBlock({
  name: 'apriel',
  opens: [{ text: '<tool_calls>', at: 'anywhere' }],
  closes: ['</tool_calls>'],
  list: true,
  reasoning: [{ open: 'Here are my reasoning steps:', closes: ['[BEGIN FINAL RESPONSE]'], at: 'answer' }],
  frames: ['[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]'],
  block: (json) => `<tool_calls>[${json}]</tool_calls>`,
  result: ({ text }) => text,
});
