import type { Dialect } from '../dialect.ts';
import { argKeyTags, parseArgKeys } from '../families/arg-keys.ts';
import { jsonBlock } from '../families/json-block.ts';

const tags = argKeyTags('longcat_');

const json = jsonBlock({
  name: 'longcat',
  opens: [{ text: tags.open, at: 'anywhere' }],
  closes: [tags.end],
  block: (call) => `${tags.open}${call}${tags.end}`,
  result: ({ text }) => `<longcat_tool_response>${text}</longcat_tool_response>`,
});

/** `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>`, or with the name, `<longcat_arg_key>` and `<longcat_arg_value>` inside */
export const longcat: Dialect = {
  ...json,
  *matches(scan) {
    if (/^[{[`]/.test(yield* scan.afterSpace(1))) return true;
    return /^\s*[\w.-]+\s*<\/?longcat_(?:arg_key|tool_call)>/.test(yield* scan.ahead(128));
  },
  *parse(scan, builder) {
    if (/^[{[`]/.test(yield* scan.afterSpace(1))) yield* json.parse(scan, builder);
    else yield* parseArgKeys(scan, builder, tags);
  },
};
