import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxCanExpress, parseCallSyntax, renderCallSyntax } from '../families/call-syntax.ts';
import { isOffered } from '../families/json-calls.ts';
import { resultOf } from '../families/result-format.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';

/** `Tool: name(arg="value", n=1)`, one a line */
export const toolColonCall: Dialect = {
  name: 'tool-colon-call',
  ambiguous: true,
  openingMarkers: () => [{ text: 'Tool:', at: 'line' }],
  *matches(scan, builder) {
    const name = yield* callAhead(scan);
    return name !== undefined && isOffered(builder, name);
  },
  *parse(scan, builder) {
    yield* parseCallSyntax(scan, builder, ['\nTool:']);
  },
  renderToolPrompt: (tools, choice) =>
    toolPrompt(tools, choice, toolColonCall.renderCall(example), ['Write one call a line.']),
  renderCall: (call) => `Tool: ${renderCallSyntax(call, false)}`,
  ...resultOf,
  canExpress: callSyntaxCanExpress,
};
