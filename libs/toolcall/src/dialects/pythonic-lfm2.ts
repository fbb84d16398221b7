import type { Dialect } from '../dialect.ts';
import {
  callAhead,
  callSyntaxCanExpress,
  listAhead,
  listOpeningMarkers,
  parseCallList,
  renderCallSyntax,
} from '../families/call-syntax.ts';
import { chatml } from '../families/chat-templates.ts';
import { parseClosingMarker, parseJsonCalls } from '../families/json-calls.ts';
import { resultBetween } from '../families/result-format.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';

const start = '<|tool_call_start|>';
const end = '<|tool_call_end|>';

/** `<|tool_call_start|>[f(a='x')]<|tool_call_end|>` and then text; a JSON list occurs too */
export const pythonicLfm2: Dialect = {
  name: 'pythonic-lfm2',
  openingMarkers: (_tools, own) => [
    { text: start, at: 'anywhere' },
    ...(own ? listOpeningMarkers(own, 'restore-markers') : []),
  ],
  *matches(scan, builder) {
    if (builder.openingMarker.text !== start) return yield* listAhead(scan, builder);
    const next = yield* scan.afterSpace(1);
    return next === '[' || next === '{' || (yield* callAhead(scan)) !== undefined;
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text !== start) {
      yield* parseCallList(scan, builder, [end], builder.openingMarker.text === '[');
      return;
    }
    if (/^[{[]\s*[{"\]]/.test(yield* scan.afterSpace(8))) {
      yield* parseJsonCalls(scan, builder, { nameKey: 'name', argumentsKey: 'arguments', closingMarkers: [end] });
    } else {
      yield* scan.space();
      yield* parseCallList(scan, builder, [end], yield* scan.takeText('['));
    }
    yield* parseClosingMarker(scan, builder, [end]);
  },
  renderToolPrompt: (tools, shape) => toolPrompt(tools, shape, pythonicLfm2.renderCall(example)),
  renderCall: (call) => `${start}[${renderCallSyntax(call, true)}]${end}`,
  closingMarkers: () => [end],
  template: chatml,
  ...resultBetween('<|tool_response_start|>', '<|tool_response_end|>'),
  canExpress: callSyntaxCanExpress,
  // Engines have no grammar for calls as code.
  fence: ({ name }) => ({
    trigger: start,
    begin: `${start}[{"name": ${JSON.stringify(name)}, "arguments": `,
    end: `}]${end}`,
    style: 'json',
  }),
};
