import { dsml } from '../families/dsml.ts';
import { resultBetween } from '../families/result-format.ts';

/** As V3.2's, with `<｜DSML｜tool_calls>` around the calls; a call without parameters may be a self-closing tag */
export const deepseekV4Dsml = dsml({
  name: 'deepseek-v4-dsml',
  word: 'DSML',
  wrapper: 'tool_calls',
  result: resultBetween('<tool_result>', '</tool_result>'),
});
