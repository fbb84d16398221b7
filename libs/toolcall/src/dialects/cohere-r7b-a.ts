import { cohereTemplate } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';

/** `<|START_ACTION|>[⏎    {"tool_call_id": "0", "tool_name": …, "parameters": {…}}⏎]<|END_ACTION|>` */
export const cohereR7bA = jsonBlock({
  name: 'cohere-r7b-a',
  openingMarkers: [{ text: '<|START_ACTION|>', at: 'anywhere' }],
  closingMarkers: ['<|END_ACTION|>'],
  keys: ['tool_name', 'parameters'],
  strippedStart: '[',
  reasoning: [
    {
      open: '<|START_THINKING|>',
      closes: ['<|END_THINKING|>'],
      at: 'anywhere',
      elsewhere: 'anywhere',
      openedByPrompt: true,
    },
  ],
  frames: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'].map((text) => ({
    text,
    at: 'anywhere',
    elsewhere: 'unmistakable',
  })),
  template: cohereTemplate,
  fieldsBeforeName: () => '"tool_call_id": "0", ',
  wrap: (json) => `<|START_ACTION|>[\n    ${json}\n]<|END_ACTION|>`,
  result: {
    renderResult: ({ text }) =>
      `<|START_TOOL_RESULT|>[{"tool_call_id": "0", "results": {"0": ${JSON.stringify(text)}}, "is_error": null}]<|END_TOOL_RESULT|>`,
    resultMarkers: [{ text: '<|START_TOOL_RESULT|>', at: 'anywhere' }],
    resultEnds: ['<|END_TOOL_RESULT|>'],
  },
});
