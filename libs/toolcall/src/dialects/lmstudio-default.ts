import { jsonBlock } from '../families/json-block.ts';
import { resultBetween } from '../families/result-format.ts';
import { several } from '../families/tool-prompt.ts';

/** `[TOOL_REQUEST]{"name": …, "arguments": {…}}[END_TOOL_REQUEST]`, LM Studio's format for models without their own. */
export const lmstudioDefault = jsonBlock({
  name: 'lmstudio-default',
  openingMarkers: [{ text: '[TOOL_REQUEST]', at: 'anywhere' }],
  closingMarkers: ['[END_TOOL_REQUEST]'],
  wrap: (json) => `[TOOL_REQUEST]${json}[END_TOOL_REQUEST]`,
  result: resultBetween('[TOOL_RESULT]', '[END_TOOL_RESULT]'),
  rules: [several('Write one block for each call.'), 'Never write [TOOL_RESULT] yourself.'],
});
