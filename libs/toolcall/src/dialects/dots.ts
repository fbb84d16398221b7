import type { Dialect } from '../dialect.ts';
import { jsonBlock } from '../families/json-block.ts';
import { readTagCall, type TagShape } from '../families/tags.ts';

const end = '</dots_function_call>';

const json = jsonBlock({
  name: 'dots',
  opens: [{ word: '<dots_function_call>', at: 'anywhere' }],
  closes: [end],
  block: (call) => `<dots_function_call>${call}${end}`,
  result: ({ text }) => `<dots_function_response>${text}</dots_function_response>`,
});

const tags: TagShape = {
  call: '<invoke',
  callEnd: '</invoke>',
  param: '<parameter',
  paramEnd: '</parameter>',
  style: 'name',
  strip: true,
  wrapEnds: [end],
};

/** `<dots_function_call>` with JSON, or with `<invoke name="NAME">…</invoke>`, inside */
export const dots: Dialect = {
  ...json,
  *fits(scan) {
    const next = yield* scan.afterSpace(7);
    return next[0] === '{' || next[0] === '[' || next === '<invoke';
  },
  *read(scan, hear) {
    if ((yield* scan.afterSpace(7)) !== '<invoke') return yield* json.read(scan, hear);
    for (;;) {
      yield* scan.space();
      const from = scan.offset;
      if (!(yield* scan.word('<invoke'))) break;
      yield* readTagCall(scan, hear, tags);
      hear.stands(from);
    }
    if (!(yield* scan.word(end))) hear.mend('close-wrapper', scan.offset, scan.offset);
  },
};
