import { toolResponse } from '../families/result-format.ts';
import { tagBlock } from '../families/tag-block.ts';

/** `<function name="NAME"><param name="KEY">VALUE</param></function>`, without an outer block */
export const minicpm5Xml = tagBlock({
  name: 'minicpm5-xml',
  blockOpens: [],
  callOpens: [{ text: '<function', at: 'line' }],
  shape: {
    callOpen: '<function',
    callClose: '</function>',
    parameterOpen: '<param',
    parameterClose: '</param>',
    nameStyle: 'name',
    stripsNewlines: true,
    blockCloses: [],
  },
  writes: { before: '', behind: '', newline: '' },
  result: toolResponse,
});
