import { phiTemplate } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { toolResponse } from '../families/result-format.ts';

/** `functools[{"name": …, "arguments": {…}}]`; some templates write `<|tool_call|>[…]<|/tool_call|>` */
export const phi4Mini = jsonBlock({
  name: 'phi4-mini',
  openingMarkers: [
    { text: 'functools', at: 'anywhere', onlyWithOfferedName: true },
    { text: '<|tool_call|>', at: 'anywhere' },
  ],
  closingMarkers: [],
  strayClosers: ['<|/tool_call|>'],
  wrap: (json) => `functools[${json}]`,
  fenceWrap: (json) => `<|tool_call|>[${json}]<|/tool_call|>`,
  result: toolResponse,
  template: phiTemplate,
});
