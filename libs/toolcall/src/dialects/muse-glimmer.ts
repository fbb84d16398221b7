import { tagBlock, writeTags } from '../families/tag-block.ts';

/** ` to=NAME<|message|><atem:function_calls>⏎<atem:invoke name="NAME"><atem:parameter name="KEY">VALUE</atem:parameter></atem:invoke>⏎</atem:function_calls><|eom|>` */
export const museGlimmer = tagBlock({
  name: 'muse-glimmer',
  wraps: [{ word: '<atem:function_calls>', at: 'anywhere' }],
  shape: {
    call: '<atem:invoke',
    callEnd: '</atem:invoke>',
    param: '<atem:parameter',
    paramEnd: '</atem:parameter>',
    style: 'name',
    strip: true,
    wrapEnds: ['</atem:function_calls>', '<|eom|>', '<|eot|>'],
  },
  write: (call) =>
    writeTags(
      call,
      (name) => `<atem:function_calls>\n<atem:invoke name="${name}">`,
      (key, raw) => `<atem:parameter name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</atem:parameter>`,
      '</atem:invoke>\n</atem:function_calls>',
    ),
  result: ({ text }) => text,
});
