import { dsml } from '../families/dsml.ts';

/** `<｜DSML｜function_calls>⏎<｜DSML｜invoke name="NAME">⏎<｜DSML｜parameter name="KEY" string="true|false">VALUE</｜DSML｜parameter>⏎</｜DSML｜invoke>⏎</｜DSML｜function_calls>` */
export const deepseekV32Dsml = dsml({
  name: 'deepseek-v3.2-dsml',
  word: 'DSML',
  wrapper: 'function_calls',
  result: {
    renderResult: ({ text }) => `<function_results>\n<result>${text}</result>\n</function_results>`,
    resultMarkers: [{ text: '<function_results>', at: 'anywhere' }],
    resultEnds: ['</function_results>'],
  },
});
