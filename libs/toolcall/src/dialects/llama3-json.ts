import type { Dialect } from '../dialect.ts';
import { callAhead, readCallSyntax } from '../families/call-syntax.ts';
import { type JsonCallShape, readJsonCalls } from '../families/json-calls.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

const shape: JsonCallShape = { name: 'name', args: 'parameters', closes: [] };
const marker = '<|python_tag|>';

/** `<|python_tag|>{"name": …, "parameters": {…}}`; the marker may be missing, calls are parted by `; `; builtin tools print `NAME.call(query="…")` */
export const llama3Json: Dialect = {
  name: 'llama3-json',
  opens: (_tools, own) =>
    own
      ? [
          { word: marker, at: 'anywhere' },
          { word: '{', at: 'answer' },
        ]
      : [{ word: marker, at: 'anywhere' }],
  *fits(scan) {
    return (yield* scan.afterSpace(1)) !== '' && true;
  },
  *read(scan, hear) {
    if (hear.opener.word !== marker) {
      scan.back(1);
      yield* readJsonCalls(scan, hear, { ...shape, bare: true });
      return;
    }
    if (yield* callAhead(scan)) yield* readCallSyntax(scan, hear, []);
    else yield* readJsonCalls(scan, hear, shape);
  },
  teach: (tools, choice) => lesson(tools, choice, llama3Json.write(example), ['Call one tool at a time.']),
  write: (call) => `{"name": ${JSON.stringify(call.name)}, "parameters": ${argumentsJson(call)}}`,
  writeResult: ({ text }) => JSON.stringify(text),
  fence: (tool) => ({ trigger: '{"name"', begin: `{"name": ${JSON.stringify(tool.name)}, "parameters": `, end: '}' }),
};
