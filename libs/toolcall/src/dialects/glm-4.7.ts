import { argKeys } from '../families/arg-keys.ts';

/** As GLM-4.5's, without any newline: `<tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>` */
export const glm47 = argKeys({
  name: 'glm-4.7',
  layout: '',
  result: ({ text }) => `<tool_response>${text}</tool_response>`,
});
