import type { Dialect } from '../dialect.ts';
import { parseArguments } from '../families/arguments.ts';
import { chatml } from '../families/chat-templates.ts';
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
    // the prompt makes the model stop at the result's marker; if other text than a call follows, it invented a result
    const stopped = /^✿(?:RESULT|RETURN)✿[:\s]*(?=$|✿FUNCTION✿)/.exec(yield* scan.ahead(32))?.[0] ?? '';
    scan.at += stopped.length;
  },
  renderToolPrompt: (tools, shape) => toolPrompt(tools, shape, `${qwenAgentLegacy.renderCall(example)}\n✿RESULT✿`),
  renderCall: (call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${argumentsJson(call)}`,
  renderResult: ({ text }) => `✿RESULT✿: ${text}`,
  resultMarkers: ['✿RESULT✿', '✿RETURN✿'].map((text) => ({ text, at: 'anywhere' })),
  innerMarkers: ['✿ARGS✿'],
  template: chatml,
  fence: (tool) => ({ trigger: '✿FUNCTION✿', begin: `✿FUNCTION✿: ${tool.name}\n✿ARGS✿: `, end: '', style: 'json' }),
};
