import type { Dialect } from '../dialect.ts';
import { argKeyTags, readArgKeys } from '../families/arg-keys.ts';
import { jsonBlock } from '../families/json-block.ts';

const tags = argKeyTags('longcat_');

const json = jsonBlock({
  name: 'longcat',
  opens: [{ word: tags.open, at: 'anywhere' }],
  closes: [tags.end],
  block: (call) => `${tags.open}${call}${tags.end}`,
  result: ({ text }) => `<longcat_tool_response>${text}</longcat_tool_response>`,
});

/** `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>`, or with the name, `<longcat_arg_key>` and `<longcat_arg_value>` inside */
export const longcat: Dialect = {
  ...json,
  *fits(scan) {
    if (/^[{[`]/.test(yield* scan.afterSpace(1))) return true;
    return /^\s*[\w.-]+\s*<\/?longcat_(?:arg_key|tool_call)>/.test(yield* scan.ahead(128));
  },
  *read(scan, hear) {
    if (/^[{[`]/.test(yield* scan.afterSpace(1))) yield* json.read(scan, hear);
    else yield* readArgKeys(scan, hear, tags);
  },
};
