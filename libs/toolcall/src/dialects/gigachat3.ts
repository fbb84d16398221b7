import { gigachatTemplate } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<|function_call|>{"name": …, "arguments": {…}}` (3.1), `<|message_sep|>⏎⏎function call<|role_sep|>⏎{…}` (3); one call only */
export const gigachat3 = jsonBlock({
  name: 'gigachat3',
  openingMarkers: [
    { text: '<|function_call|>', at: 'anywhere' },
    { text: '<|message_sep|>\n\nfunction call<|role_sep|>', at: 'anywhere' },
    { text: 'function call<|role_sep|>', at: 'line' },
    { text: 'function call\n', at: 'answer', rule: 'restore-markers' },
  ],
  closingMarkers: [],
  strippedStart: '{',
  wrap: (json) => `<|function_call|>${json}`,
  result: toolResponse,
  template: gigachatTemplate,
  rules: ['Call one tool at a time.'],
});
