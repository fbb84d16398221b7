import type { Dialect } from '../dialect.ts';
import { jsonBlock } from '../families/json-block.ts';
import { resultBetween } from '../families/result-format.ts';
import { nextVisibleChar } from '../families/rules-out.ts';
import { invokeTags, parseTagCall } from '../families/tags.ts';

const end = '</dots_function_call>';

const json = jsonBlock({
  name: 'dots',
  openingMarkers: [{ text: '<dots_function_call>', at: 'anywhere' }],
  closingMarkers: [end],
  wrap: (call) => `<dots_function_call>${call}${end}`,
  result: resultBetween('<dots_function_response>', '</dots_function_response>'),
});

const tags = invokeTags('', [end]);

/** `<dots_function_call>` with JSON, or with `<invoke name="NAME">…</invoke>`, inside */
export const dots: Dialect = {
  ...json,
  closingMarkers: (tools) => [...(json.closingMarkers?.(tools) ?? []), tags.callClose, tags.parameterClose],
  rulesOut: (text, at, openingMarker, tools) =>
    /[{[]/.test(nextVisibleChar(text, at) ?? '') && json.rulesOut?.(text, at, openingMarker, tools) === true,
  *matches(scan) {
    const next = yield* scan.afterSpace(7);
    return next[0] === '{' || next[0] === '[' || next === '<invoke';
  },
  *parse(scan, builder) {
    if ((yield* scan.afterSpace(7)) !== '<invoke') return yield* json.parse(scan, builder);
    for (;;) {
      yield* scan.space();
      const from = scan.offset;
      if (!(yield* scan.takeText('<invoke'))) break;
      yield* parseTagCall(scan, builder, tags);
      builder.setRange(from);
    }
    if (!(yield* scan.takeText(end))) builder.repair('close-wrapper', scan.offset, scan.offset);
  },
};
