import { argKeys } from '../families/arg-keys.ts';
import { toolResponseLine } from '../families/result-format.ts';

/** `<tool_calls><tool_call>NAME<tool_sep><arg_key>K</arg_key><arg_value>V</arg_value></tool_call></tool_calls>` */
export const hunyuanV3 = argKeys({
  name: 'hunyuan-v3',
  block: ['<tool_calls>', '</tool_calls>'],
  separator: '<tool_sep>',
  newline: '',
  result: toolResponseLine,
});
