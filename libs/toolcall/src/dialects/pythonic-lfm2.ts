import type { Dialect } from '../dialect.ts';
import { callSyntaxCanExpress, parseCallList, renderCallSyntax } from '../families/call-syntax.ts';
import { chatml } from '../families/chat-templates.ts';
import { parseClosingMarker, parseJsonCalls } from '../families/json-calls.ts';
import { resultBetween } from '../families/result-format.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';

const end = '<|tool_call_end|>';

/** `<|tool_call_start|>[f(a='x')]<|tool_call_end|>` and then text; a JSON list occurs too */
export const pythonicLfm2: Dialect = {
  name: 'pythonic-lfm2',
  openingMarkers: () => [{ text: '<|tool_call_start|>', at: 'anywhere' }],
  *matches(scan) {
    const next = yield* scan.afterSpace(1);
    return next === '[' || next === '{';
  },
  *parse(scan, builder) {
    if (/^[{[]\s*[{"\]]/.test(yield* scan.afterSpace(8))) {
      yield* parseJsonCalls(scan, builder, { nameKey: 'name', argumentsKey: 'arguments', closingMarkers: [end] });
    } else {
      yield* scan.space();
      yield* scan.takeText('[');
      yield* parseCallList(scan, builder, [end]);
    }
    yield* parseClosingMarker(scan, builder, [end]);
  },
  renderToolPrompt: (tools, choice) => toolPrompt(tools, choice, pythonicLfm2.renderCall(example)),
  renderCall: (call) => `<|tool_call_start|>[${renderCallSyntax(call, true)}]${end}`,
  closingMarkers: () => [end],
  template: chatml,
  ...resultBetween('<|tool_response_start|>', '<|tool_response_end|>'),
  canExpress: callSyntaxCanExpress,
};
