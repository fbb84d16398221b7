import { seedTemplate } from '../families/chat-templates.ts';
import { resultBetween } from '../families/result-format.ts';
import { renderTags, tagBlock } from '../families/tag-block.ts';

/** `<seed:tool_call>⏎<function=NAME>⏎<parameter=KEY>VALUE</parameter>⏎</function>⏎</seed:tool_call>` */
export const seedOss = tagBlock({
  name: 'seed-oss',
  blockOpens: [{ text: '<seed:tool_call>', at: 'anywhere' }],
  shape: {
    callOpen: '<function',
    callClose: '</function>',
    parameterOpen: '<parameter',
    parameterClose: '</parameter>',
    nameStyle: '=',
    stripsNewlines: true,
    blockCloses: ['</seed:tool_call>'],
  },
  reasoning: [
    { open: '<seed:think>', closes: ['</seed:think>'], at: 'anywhere', elsewhere: 'line', openedByPrompt: true },
  ],
  renderCall: (call) =>
    renderTags(
      call,
      (name) => `<seed:tool_call>\n<function=${name}>\n`,
      (key, raw) => `<parameter=${key}>${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</parameter>\n`,
      '</function>\n</seed:tool_call>',
    ),
  result: resultBetween('<seed:tool_response>\n', '\n</seed:tool_response>'),
  template: seedTemplate,
});
