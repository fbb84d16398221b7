import type { Dialect } from '../dialect.ts';
import { cohereTemplate } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { resultBetween } from '../families/result-format.ts';

const block = jsonBlock({
  name: 'cohere-r-plus',
  openingMarkers: [{ text: 'Action:', at: 'line' }],
  secondMarkers: ['```json', '```'],
  closingMarkers: ['```'],
  keys: ['tool_name', 'parameters'],
  ambiguous: true,
  wrap: (json) => `Action:\n\`\`\`json\n[\n    ${json}\n]\n\`\`\``,
  result: resultBetween('<results>\n', '\n</results>', { at: 'line', ambiguous: true }),
  template: cohereTemplate,
});

/** "Action:⏎```json⏎[{"tool_name": …, "parameters": {…}}]⏎```"; the name `directly_answer` means no call */
export const cohereRPlus: Dialect = {
  ...block,
  *matches(scan) {
    return (yield* scan.afterSpace(3)) === '```';
  },
};
