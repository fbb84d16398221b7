import type { Dialect } from '../dialect.ts';
import { jsonBlock } from '../families/json-block.ts';

const block = jsonBlock({
  name: 'cohere-r-plus',
  opens: [{ text: 'Action:', at: 'line' }],
  lead: ['```json', '```'],
  closes: ['```'],
  keys: ['tool_name', 'parameters'],
  list: true,
  plain: true,
  block: (json) => `Action:\n\`\`\`json\n[\n    ${json}\n]\n\`\`\``,
  result: ({ text }) => `<results>\n${text}\n</results>`,
});

/** "Action:⏎```json⏎[{"tool_name": …, "parameters": {…}}]⏎```"; the name `directly_answer` means no call */
export const cohereRPlus: Dialect = {
  ...block,
  *matches(scan) {
    return (yield* scan.afterSpace(3)) === '```';
  },
};
