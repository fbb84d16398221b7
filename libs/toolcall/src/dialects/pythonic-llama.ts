import type { Dialect } from '../dialect.ts';
import {
  callAhead,
  callSyntaxCanExpress,
  listAhead,
  listOpeners,
  parseCallList,
  renderCallSyntax,
} from '../families/call-syntax.ts';
import { llama4Template } from '../families/chat-templates.ts';
import { toolResponse } from '../families/result-format.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';

const open = '<|python_start|>';
const end = '<|python_end|>';

/** `[f(a=1, b="x"), g()]`: Llama 3.2 to 4, ToolACE; Llama 4 may put `<|python_start|>…<|python_end|>` round it */
export const pythonicLlama: Dialect = {
  name: 'pythonic-llama',
  openingMarkers: (_tools, own) => [{ text: open, at: 'anywhere' }, ...listOpeners(own)],
  *matches(scan, builder) {
    if (builder.openingMarker.text !== open) return yield* listAhead(scan, builder);
    return (yield* scan.afterSpace(1)) === '[' || (yield* callAhead(scan)) !== undefined;
  },
  *parse(scan, builder) {
    yield* scan.space();
    const bracket = builder.openingMarker.text === '[' || (yield* scan.takeText('['));
    yield* parseCallList(scan, builder, [end], bracket);
    yield* scan.space();
    yield* scan.takeText(end);
  },
  ambiguous: true,
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, pythonicLlama.renderCall(example), [
      'Write the calls as Python, in one list, and nothing else.',
    ]),
  renderCall: (call) => `[${renderCallSyntax(call, true)}]`,
  closingMarkers: () => [end],
  template: llama4Template,
  ...toolResponse,
  canExpress: callSyntaxCanExpress,
};
