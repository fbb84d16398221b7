import { toolResponse } from '../families/result-format.ts';
import { tagBlock, writeTags } from '../families/tag-block.ts';

/** `<function name="NAME"><param name="KEY">VALUE</param></function>`, no block round it */
export const minicpm5Xml = tagBlock({
  name: 'minicpm5-xml',
  wraps: [],
  unwrapped: [{ text: '<function', at: 'line' }],
  shape: {
    call: '<function',
    callEnd: '</function>',
    param: '<param',
    paramEnd: '</param>',
    style: 'name',
    strip: true,
    wrapEnds: [],
  },
  write: (call) =>
    writeTags(
      call,
      (name) => `<function name="${name}">`,
      (key, raw) => `<param name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</param>`,
      '</function>',
    ),
  result: toolResponse,
});
