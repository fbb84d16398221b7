import type { Dialect } from '../dialect.ts';
import { readJsonCalls } from '../families/json-calls.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

const shape = { name: 'name', args: 'arguments', closes: ['```'], wrapped: true, bare: true };

/** "```json⏎{"tool_calls": [{"name": …, "arguments": {…}}]}⏎```"; without the fence, as one object or as a list too */
export const fencedToolCallsJson: Dialect = {
  name: 'fenced-tool-calls-json',
  plain: true,
  opens: (_tools, own) =>
    own
      ? [
          { word: '```', at: 'line' },
          { word: '{', at: 'line' },
          { word: '[', at: 'answer' },
        ]
      : [
          { word: '{', at: 'fence' },
          { word: '{', at: 'answer' },
        ],
  *fits(scan, hear) {
    if (hear.opener.word !== '```') return true;
    return /^(?:json|JSON|tool_calls?|tools?)?[ \t]*\r?\n?\s*[[{]/.test(yield* scan.ahead(80));
  },
  *read(scan, hear) {
    if (hear.opener.word !== '```') {
      scan.back(1);
      yield* readJsonCalls(scan, hear, shape);
      return;
    }
    yield* scan.run(/\w/, 16);
    yield* scan.space();
    yield* readJsonCalls(scan, hear, shape);
    yield* scan.space();
    if (!(yield* scan.word('```'))) hear.mend('close-wrapper', scan.offset, scan.offset);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, fencedToolCallsJson.write(example), [
      'For several calls put them all into the one list "tool_calls".',
    ]),
  write: (call) =>
    `\`\`\`json\n{"tool_calls": [{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}]}\n\`\`\``,
  writeResult: ({ name, text }) => `Result of ${name}:\n${text}`,
  fence: (tool) => ({
    trigger: '```json',
    begin: `\`\`\`json\n{"tool_calls": [{"name": ${JSON.stringify(tool.name)}, "arguments": `,
    end: '}]}\n```',
  }),
};
