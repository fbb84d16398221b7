import { jsonBlock } from '../families/json-block.ts';

/** `<|content_invoke_tool_json|>{"name": …, "args": {…}}<|end_message|>` */
export const inkling = jsonBlock({
  name: 'inkling',
  opens: [{ text: '<|content_invoke_tool_json|>', at: 'anywhere' }],
  closes: ['<|end_message|>'],
  keys: ['name', 'args'],
  residue: '{',
  block: (json) => `<|content_invoke_tool_json|>${json}<|end_message|>`,
  result: ({ text }) => text,
});
