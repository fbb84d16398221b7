import { jsonBlock } from '../families/json-block.ts';

/** `[TOOL_CALLS][{"name": …, "arguments": {…}, "id": …}]`, before tokenizer v11 */
export const mistralArray = jsonBlock({
  name: 'mistral-array',
  opens: [{ text: '[TOOL_CALLS]', at: 'anywhere' }],
  closes: [],
  list: true,
  residue: '[',
  reasoning: [{ open: '[THINK]', closes: ['[/THINK]'], at: 'anywhere' }],
  frames: ['[/TOOL_CALLS]'],
  block: (json) => `[TOOL_CALLS][${json}]`,
  result: ({ text, callId }) =>
    `[TOOL_RESULTS]{"content": ${JSON.stringify(text)}, "call_id": ${JSON.stringify(callId)}}[/TOOL_RESULTS]`,
});
