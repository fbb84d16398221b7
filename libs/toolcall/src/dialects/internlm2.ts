import { chatml } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<|action_start|><|plugin|>⏎{"name": …, "parameters": {…}}<|action_end|>`; a space may separate the two markers */
export const internlm2 = jsonBlock({
  name: 'internlm2',
  openingMarkers: [{ text: '<|action_start|>', at: 'anywhere' }],
  secondMarkers: ['<|plugin|>', '<|interpreter|>'],
  closingMarkers: ['<|action_end|>'],
  keys: ['name', 'parameters'],
  strippedStart: '{',
  wrap: (json) => `<|action_start|><|plugin|>\n${json}<|action_end|>`,
  reasoning: [thinkBlock],
  result: toolResponse,
  template: chatml,
});
