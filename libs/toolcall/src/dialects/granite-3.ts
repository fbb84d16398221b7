import { graniteTemplate } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<|tool_call|>[{"name": …, "arguments": {…}}]` (3.0), `<tool_call>[…]` (3.1 and later); no closing marker */
export const granite3 = jsonBlock({
  name: 'granite-3',
  openingMarkers: [
    { text: '<|tool_call|>', at: 'anywhere' },
    { text: '<tool_call>', at: 'anywhere' },
  ],
  closingMarkers: [],
  strippedStart: '[',
  reasoning: [{ open: 'Here is my thought process:', closes: ['Here is my response:'], at: 'answer' }],
  frames: [{ text: 'Here is my response:', at: 'line' }],
  wrap: (json) => `<|tool_call|>[${json}]`,
  result: toolResponse,
  template: graniteTemplate,
});
