import type { Dialect } from '../dialect.ts';
import { parseArguments } from '../families/arguments.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';

const closes = ['✿FUNCTION✿', '✿RESULT✿', '✿RETURN✿'];

/** `✿FUNCTION✿: NAME⏎✿ARGS✿: {…}⏎✿RESULT✿` */
export const qwenAgentLegacy: Dialect = {
  name: 'qwen-agent-legacy',
  openingMarkers: () => [{ text: '✿FUNCTION✿', at: 'anywhere' }],
  *matches(scan) {
    return /^\s*:\s*[\w.-]+\s*\n\s*✿ARGS✿/.test(yield* scan.ahead(128));
  },
  *parse(scan, builder) {
    yield* scan.run(/[\s:]/, 16);
    const call = builder.open(yield* scan.run(/[\w.-]/, 256));
    yield* scan.space();
    yield* scan.takeText('✿ARGS✿');
    yield* scan.run(/[\s:]/, 16);
    yield* parseArguments(scan, call, closes);
    yield* dropClosers(scan, builder);
    call.close();
    yield* scan.space();
    if (yield* scan.oneOf(['✿RESULT✿', '✿RETURN✿'])) yield* scan.run(/[:\s]/, 8);
  },
  renderToolPrompt: (tools, choice) => toolPrompt(tools, choice, `${qwenAgentLegacy.renderCall(example)}\n✿RESULT✿`),
  renderCall: (call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${argumentsJson(call)}`,
  renderResult: ({ text }) => `✿RESULT✿: ${text}`,
  fence: (tool) => ({ trigger: '✿FUNCTION✿', begin: `✿FUNCTION✿: ${tool.name}\n✿ARGS✿: `, end: '\n✿RESULT✿' }),
};
