import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxCanExpress, parseCallSyntax, renderCallSyntax } from '../families/call-syntax.ts';
import { isOffered } from '../families/json-calls.ts';
import { resultOf } from '../families/result-format.ts';
import { example, several, toolPrompt } from '../families/tool-prompt.ts';
import { unsure } from '../scanner.ts';

/** `read_file (reads a file)`: the parentheses contain a remark. */
function isRemark(ahead: string, all: boolean): boolean | typeof unsure {
  const found = /^\s*[\w.-]+(\s*)\(\s*(?=([A-Za-z_][\w-]*))\2(?=(\s*))\3(.)/s.exec(ahead);
  if (found) return found[1] !== '' && found[4] !== '=';
  return all || !/^\s*[\w.-]+\s*(?:\(\s*(?:[A-Za-z_][\w-]*\s*)?)?$/.test(ahead) ? false : unsure;
}

/** `Tool: name(arg="value", n=1)`, one per line; values may be unquoted */
export const toolColonCall: Dialect = {
  name: 'tool-colon-call',
  ambiguous: true,
  openingMarkers: () => [{ text: 'Tool:', at: 'line' }],
  *matches(scan, builder) {
    const name = yield* callAhead(scan);
    return name !== undefined && isOffered(builder, name) && !(yield* scan.look(512, isRemark));
  },
  *parse(scan, builder) {
    yield* parseCallSyntax(scan, builder, ['\nTool:'], { bareValues: true });
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, toolColonCall.renderCall(example), [several('Write one call a line.')]),
  renderCall: (call) => `Tool: ${renderCallSyntax(call, false)}`,
  ...resultOf,
  canExpress: callSyntaxCanExpress,
};
