import type { Dialect } from '../dialect.ts';
import { readArguments } from '../families/arguments.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

const closes = ['✿FUNCTION✿', '✿RESULT✿', '✿RETURN✿'];

/** `✿FUNCTION✿: NAME⏎✿ARGS✿: {…}⏎✿RESULT✿` */
export const qwenAgentLegacy: Dialect = {
  name: 'qwen-agent-legacy',
  opens: () => [{ word: '✿FUNCTION✿', at: 'anywhere' }],
  *fits(scan) {
    return /^\s*:\s*[\w.-]+\s*\n\s*✿ARGS✿/.test(yield* scan.ahead(128));
  },
  *read(scan, hear) {
    yield* scan.run(/[\s:]/, 16);
    const call = hear.open(yield* scan.run(/[\w.-]/, 256));
    yield* scan.space();
    yield* scan.word('✿ARGS✿');
    yield* scan.run(/[\s:]/, 16);
    yield* readArguments(scan, call, closes);
    yield* dropClosers(scan, hear);
    call.close();
    yield* scan.space();
    if (yield* scan.oneOf(['✿RESULT✿', '✿RETURN✿'])) yield* scan.run(/[:\s]/, 8);
  },
  teach: (tools, choice) => lesson(tools, choice, `${qwenAgentLegacy.write(example)}\n✿RESULT✿`),
  write: (call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${argumentsJson(call)}`,
  writeResult: ({ text }) => `✿RESULT✿: ${text}`,
  fence: (tool) => ({ trigger: '✿FUNCTION✿', begin: `✿FUNCTION✿: ${tool.name}\n✿ARGS✿: `, end: '\n✿RESULT✿' }),
};
