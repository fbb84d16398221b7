import type { Dialect } from '../dialect.ts';
import { argKeyTags, innerTags, parseArgKeys } from '../families/arg-keys.ts';
import { jsonBlock } from '../families/json-block.ts';
import { resultBetween } from '../families/result-format.ts';
import { nextVisibleChar } from '../families/rules-out.ts';

const tags = argKeyTags('longcat_');

const json = jsonBlock({
  name: 'longcat',
  openingMarkers: [{ text: tags.open, at: 'anywhere' }],
  closingMarkers: [tags.end],
  wrap: (call) => `${tags.open}${call}${tags.end}`,
  result: resultBetween('<longcat_tool_response>', '</longcat_tool_response>'),
});

/** `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>`, or with the name, `<longcat_arg_key>` and `<longcat_arg_value>` inside */
export const longcat: Dialect = {
  ...json,
  innerMarkers: innerTags(tags),
  rulesOut: (text, at, openingMarker, tools) =>
    /[{[]/.test(nextVisibleChar(text, at) ?? '') && json.rulesOut?.(text, at, openingMarker, tools) === true,
  *matches(scan) {
    if (/^[{[`]/.test(yield* scan.afterSpace(1))) return true;
    return /^\s*[\w.-]+\s*<\/?longcat_(?:arg_key|tool_call)>/.test(yield* scan.ahead(128));
  },
  *parse(scan, builder) {
    if (/^[{[`]/.test(yield* scan.afterSpace(1))) return yield* json.parse(scan, builder);
    return yield* parseArgKeys(scan, builder, tags);
  },
};
