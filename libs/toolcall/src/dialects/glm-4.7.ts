import { argKeys } from '../families/arg-keys.ts';
import { glmTemplate } from '../families/chat-templates.ts';
import { toolResponseLine } from '../families/result-format.ts';

/** As GLM-4.5's, without any newline: `<tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>` */
export const glm47 = argKeys({
  name: 'glm-4.7',
  newline: '',
  result: toolResponseLine,
  template: glmTemplate,
});
