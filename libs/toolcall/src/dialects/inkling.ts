import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<|content_invoke_tool_json|>{"name": …, "args": {…}}<|end_message|>` */
export const inkling = jsonBlock({
  name: 'inkling',
  openingMarkers: [{ text: '<|content_invoke_tool_json|>', at: 'anywhere' }],
  closingMarkers: ['<|end_message|>'],
  keys: ['name', 'args'],
  strippedStart: '{',
  wrap: (json) => `<|content_invoke_tool_json|>${json}<|end_message|>`,
  result: toolResponse,
});
