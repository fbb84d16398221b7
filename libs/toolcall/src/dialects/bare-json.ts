import type { Dialect } from '../dialect.ts';
import { readJsonCalls } from '../families/json-calls.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

/** The whole answer, or a line of it, is `{"name": …, "arguments": {…}}` or a list of such objects: no marker says so, only an offered name does. */
export const bareJson: Dialect = {
  name: 'bare-json',
  plain: true,
  opens: (_tools, own) => [
    { word: '{', at: own ? 'line' : 'answer' },
    { word: '[', at: own ? 'line' : 'answer' },
  ],
  *read(scan, hear) {
    scan.back(1);
    yield* readJsonCalls(scan, hear, { name: 'name', args: 'arguments', closes: [], bare: true, wrapped: true });
  },
  teach: (tools, choice) =>
    lesson(tools, choice, bareJson.write(example), [
      'Write nothing else beside the call.',
      'For several calls write one object a line.',
    ]),
  write: (call) => `{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}`,
  writeResult: ({ name, text }) => `Result of ${name}:\n${text}`,
  fence: (tool) => ({ trigger: '{"name"', begin: `{"name": ${JSON.stringify(tool.name)}, "arguments": `, end: '}' }),
};
