import { dsml } from '../families/dsml.ts';

/** `<｜DSML｜function_calls>⏎<｜DSML｜invoke name="NAME">⏎<｜DSML｜parameter name="KEY" string="true|false">VALUE</｜DSML｜parameter>⏎</｜DSML｜invoke>⏎</｜DSML｜function_calls>` */
export const deepseekV32Dsml = dsml('deepseek-v3.2-dsml', 'function_calls', {
  renderResult: ({ text }) => `<function_results>\n<result>${text}</result>\n</function_results>`,
  resultMarkers: [{ text: '<function_results>', at: 'anywhere' }],
  resultEnds: ['</function_results>'],
});
