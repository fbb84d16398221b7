import { seedTemplate } from '../families/chat-templates.ts';
import { resultBetween } from '../families/result-format.ts';
import { tagBlock, writeTags } from '../families/tag-block.ts';

/** `<seed:tool_call>⏎<function=NAME>⏎<parameter=KEY>VALUE</parameter>⏎</function>⏎</seed:tool_call>` */
export const seedOss = tagBlock({
  name: 'seed-oss',
  wraps: [{ text: '<seed:tool_call>', at: 'anywhere' }],
  shape: {
    call: '<function',
    callEnd: '</function>',
    param: '<parameter',
    paramEnd: '</parameter>',
    style: '=',
    strip: true,
    wrapEnds: ['</seed:tool_call>'],
  },
  reasoning: [
    { open: '<seed:think>', closes: ['</seed:think>'], at: 'anywhere', elsewhere: 'line', openedByPrompt: true },
  ],
  write: (call) =>
    writeTags(
      call,
      (name) => `<seed:tool_call>\n<function=${name}>\n`,
      (key, raw) => `<parameter=${key}>${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</parameter>\n`,
      '</function>\n</seed:tool_call>',
    ),
  result: resultBetween('<seed:tool_response>\n', '\n</seed:tool_response>'),
  template: seedTemplate,
});
