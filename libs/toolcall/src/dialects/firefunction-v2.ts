import { llama3Template } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** ` functools[{"name": …, "arguments": {…}}]` after optional text */
export const firefunctionV2 = jsonBlock({
  name: 'firefunction-v2',
  openingMarkers: [{ text: 'functools', at: 'anywhere', onlyWithOfferedName: true }],
  closingMarkers: [],
  wrap: (json) => ` functools[${json}]`,
  result: toolResponse,
  template: llama3Template,
});
