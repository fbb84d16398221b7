import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxCanExpress, parseCallList, renderCallSyntax } from '../families/call-syntax.ts';
import { parseClosingMarker } from '../families/json-calls.ts';
import { toolResponse } from '../families/result-format.ts';
import { example, several, toolPrompt } from '../families/tool-prompt.ts';

const end = '</function_calls>';

/** `<function_calls>f(a="x")⏎g(b=2)</function_calls>`, one call per line */
export const pythonicOlmo3: Dialect = {
  name: 'pythonic-olmo3',
  openingMarkers: () => [{ text: '<function_calls>', at: 'anywhere' }],
  *matches(scan) {
    const ahead = yield* scan.ahead(96);
    return /^\s*\[?\s*[A-Za-z_][\w.-]*\s*\(/.test(ahead);
  },
  *parse(scan, builder) {
    do {
      yield* scan.space();
      yield* parseCallList(scan, builder, [end], yield* scan.takeText('['));
    } while (yield* callAhead(scan));
    yield* parseClosingMarker(scan, builder, [end]);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, pythonicOlmo3.renderCall(example), [
      several('Several calls stand in one block, one a line.'),
    ]),
  renderCall: (call) => `<function_calls>${renderCallSyntax(call, false)}${end}`,
  closingMarkers: () => [end],
  ...toolResponse,
  canExpress: callSyntaxCanExpress,
};
