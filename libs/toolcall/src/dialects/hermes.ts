import type { Dialect } from '../dialect.ts';
import { readClose, readJsonCalls } from '../families/json-calls.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

const closes = ['</tool_call>'];
const shape = { name: 'name', args: 'arguments', closes };

/** `<tool_call>⏎{"name": …, "arguments": {…}}⏎</tool_call>` */
export const hermes: Dialect = {
  name: 'hermes',
  opens: () => [{ word: '<tool_call>', at: 'anywhere' }],
  *fits(scan) {
    const next = yield* scan.afterSpace(1);
    return next === '{' || next === '[';
  },
  *read(scan, hear) {
    yield* readJsonCalls(scan, hear, shape);
    yield* readClose(scan, hear, closes);
  },
  teach: (tools, choice) => lesson(tools, choice, hermes.write(example), ['For several calls repeat the whole block.']),
  write: (call) => `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}\n</tool_call>`,
  writeResult: ({ text }) => `<tool_response>\n${text}\n</tool_response>`,
  fence: (tool) => ({
    trigger: '<tool_call>',
    begin: `<tool_call>\n{"name": ${JSON.stringify(tool.name)}, "arguments": `,
    end: '}\n</tool_call>',
  }),
};
