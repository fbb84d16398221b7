import { gemma } from '../families/gemma.ts';

/** `<start_function_call>call:NAME{k:<escape>text<escape>,n:20}<end_function_call>` */
export const functiongemma = gemma({
  name: 'functiongemma',
  open: '<start_function_call>',
  close: '<end_function_call>',
  quote: '<escape>',
  result: {
    renderResult: ({ name, text }) => `Function result for ${name}: ${text}`,
    resultMarkers: [
      { text: 'Function result for ', at: 'line', behind: /^[\w.-]+: /, ambiguous: true },
      { text: '<start_function_response>', at: 'anywhere' },
    ],
  },
});
