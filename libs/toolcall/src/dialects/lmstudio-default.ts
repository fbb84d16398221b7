import { jsonBlock } from '../families/json-block.ts';

/** `[TOOL_REQUEST]{"name": …, "arguments": {…}}[END_TOOL_REQUEST]`, LM Studio's way for models without one of their own. */
export const lmstudioDefault = jsonBlock({
  name: 'lmstudio-default',
  opens: [{ text: '[TOOL_REQUEST]', at: 'anywhere' }],
  closes: ['[END_TOOL_REQUEST]'],
  block: (json) => `[TOOL_REQUEST]${json}[END_TOOL_REQUEST]`,
  result: ({ text }) => `[TOOL_RESULT]${text}[END_TOOL_RESULT]`,
  rules: ['Write one block for each call.', 'Never write [TOOL_RESULT] yourself.'],
});
