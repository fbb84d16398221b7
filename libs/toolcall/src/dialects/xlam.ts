import type { Dialect } from '../dialect.ts';
import { readClose, readJsonCalls } from '../families/json-calls.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

const markers = ['[TOOL_CALLS]', '<tool_call>'];
const closes = ['</tool_call>'];

/** `[{"name": …, "arguments": {…}}]` as the answer; also behind `</think>`, in a fence, behind `[TOOL_CALLS]` or in `<tool_call>` */
export const xlam: Dialect = {
  name: 'xlam',
  plain: true,
  opens: (_tools, own) => [
    { word: '[', at: own ? 'line' : 'answer' },
    ...(own ? markers.map((word) => ({ word, at: 'anywhere' as const })) : []),
  ],
  *fits(scan, hear) {
    if (hear.opener.word === '[') return true;
    const next = yield* scan.afterSpace(1);
    return next === '[' || next === '{';
  },
  *read(scan, hear) {
    const marked = hear.opener.word !== '[';
    if (!marked) scan.back(1);
    yield* readJsonCalls(scan, hear, { name: 'name', args: 'arguments', closes: marked ? closes : [], bare: !marked });
    if (hear.opener.word === '<tool_call>') yield* readClose(scan, hear, closes);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, xlam.write(example), ['For several calls put them all into the list.']),
  write: (call) => `[{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}]`,
  writeResult: ({ text }) => text,
  fence: (tool) => ({ trigger: '[{"name"', begin: `[{"name": ${JSON.stringify(tool.name)}, "arguments": `, end: '}]' }),
};
