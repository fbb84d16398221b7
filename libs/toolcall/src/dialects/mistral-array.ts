import { mistralTemplate } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { mistralReasoning } from '../families/reasoning.ts';
import { mistralResult } from './mistral-v11.ts';

/** `[TOOL_CALLS][{"name": …, "arguments": {…}, "id": …}]`, before tokenizer v11 */
export const mistralArray = jsonBlock({
  name: 'mistral-array',
  openingMarkers: [{ text: '[TOOL_CALLS]', at: 'anywhere' }],
  closingMarkers: [],
  strippedStart: '[',
  strayClosers: ['[/TOOL_CALLS]'],
  reasoning: [mistralReasoning],
  template: mistralTemplate,
  wrap: (json) => `[TOOL_CALLS][${json}]`,
  result: mistralResult(
    ({ text, callId }) => `{"content": ${JSON.stringify(text)}, "call_id": ${JSON.stringify(callId)}}`,
  ),
});
