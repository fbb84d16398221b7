import { gigachatTemplate } from '../families/chat-templates.ts';
import { dsml } from '../families/dsml.ts';

/**
 * `<｜GCML｜tool_calls>⏎<｜GCML｜invoke name="NAME">⏎<｜GCML｜parameter name="KEY" string="true|false">VALUE</｜GCML｜parameter>⏎</｜GCML｜invoke>⏎</｜GCML｜tool_calls>`.
 * From GigaChat 3.5's chat template and the parsers `gigachat35` of vLLM and SGLang.
 */
export const gigachat35Gcml = dsml({
  name: 'gigachat3.5-gcml',
  word: 'GCML',
  wrapper: 'tool_calls',
  result: {
    renderResult: ({ name, text }) => `<function_response name="${name}">${text}</function_response>`,
    resultMarkers: [{ text: '<function_response name="', at: 'anywhere' }],
    resultEnds: ['</function_response>'],
  },
  template: gigachatTemplate,
});
