import { dsml } from '../families/dsml.ts';
import { resultBetween } from '../families/result-format.ts';

/**
 * `<｜DSML｜ calls>⏎<｜DSML｜ invoke name="NAME">⏎<｜DSML｜ parameter name="KEY" string="true|false">VALUE</｜DSML｜ parameter>⏎</｜DSML｜ invoke>⏎</｜DSML｜ calls>`:
 * the space before each tag's name is the model's. From the chat template of deepseek-ai/DeepSeek-V4.1-Flash and the
 * parsers `deepseek_v41` of vLLM and `deepseekv41` of SGLang.
 */
export const deepseekV41Dsml = dsml({
  name: 'deepseek-v4.1-dsml',
  word: 'DSML',
  space: ' ',
  wrapper: 'calls',
  result: resultBetween('<tool_result>', '</tool_result>'),
});
