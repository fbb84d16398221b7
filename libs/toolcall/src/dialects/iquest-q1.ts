import { argKeys, argKeyTags } from '../families/arg-keys.ts';
import { iquestTemplate } from '../families/chat-templates.ts';
import { toolResponseLine } from '../families/result-format.ts';

/**
 * `<iquest_tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></iquest_tool_call>`. From the chat template of
 * IQuestLab/IQuest-Q1 and SGLang's parser `iquest_q1`.
 */
export const iquestQ1 = argKeys({
  name: 'iquest-q1',
  tags: { ...argKeyTags(''), open: '<iquest_tool_call>', end: '</iquest_tool_call>' },
  newline: '',
  result: toolResponseLine,
  template: iquestTemplate,
});
