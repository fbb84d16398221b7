import { tagBlock, writeTags } from '../families/tag-block.ts';

/** `<minimax:tool_call>⏎<invoke name="NAME">⏎<parameter name="KEY">VALUE</parameter>⏎</invoke>⏎</minimax:tool_call>`; several invokes in one block */
export const minimaxM2 = tagBlock({
  name: 'minimax-m2',
  wraps: [{ text: '<minimax:tool_call>', at: 'anywhere' }],
  shape: {
    call: '<invoke',
    callEnd: '</invoke>',
    param: '<parameter',
    paramEnd: '</parameter>',
    style: 'name',
    strip: true,
    wrapEnds: ['</minimax:tool_call>'],
  },
  write: (call) =>
    writeTags(
      call,
      (name) => `<minimax:tool_call>\n<invoke name="${name}">\n`,
      (key, raw) => `<parameter name="${key}">${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</parameter>\n`,
      '</invoke>\n</minimax:tool_call>',
    ),
  result: ({ text }) => `<response>${text}</response>`,
  rules: ['For several calls put several invokes into one block.'],
});
