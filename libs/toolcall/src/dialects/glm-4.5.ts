import { argKeys } from '../families/arg-keys.ts';
import { glmTemplate } from '../families/chat-templates.ts';
import { toolResponse } from '../families/result-format.ts';

/** `<tool_call>NAME⏎<arg_key>K</arg_key>⏎<arg_value>V</arg_value>⏎</tool_call>`; also used by Poolside and Ling 3 */
export const glm45 = argKeys({
  name: 'glm-4.5',
  newline: '\n',
  result: toolResponse,
  template: glmTemplate,
});
