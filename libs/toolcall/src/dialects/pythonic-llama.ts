import type { Dialect, OpeningMarker } from '../dialect.ts';
import {
  callAhead,
  callSyntaxCanExpress,
  parseCallList,
  parseCallSyntax,
  renderCallSyntax,
} from '../families/call-syntax.ts';
import { llama4Template } from '../families/chat-templates.ts';
import { isOffered } from '../families/json-calls.ts';
import { toolResponse } from '../families/result-format.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';

/** `[f(a=1, b="x"), g()]`: Llama 3.2 to 4, ToolACE; Llama 4 may put `<|python_start|>…<|python_end|>` round it */
export const pythonicLlama: Dialect = {
  name: 'pythonic-llama',
  openingMarkers: (_tools, own) => {
    const markers: OpeningMarker[] = [{ text: '<|python_start|>', at: 'anywhere' }];
    // a list of calls is prose anywhere but where it is the model's own way, or `auto` at the answer's start
    if (!own) return [...markers, { text: '[', at: 'answer' }];
    return [...markers, { text: '[', at: 'line' }, { text: '', at: 'answer', rule: 'open-wrapper' }];
  },
  *matches(scan, builder) {
    if (builder.openingMarker.text.startsWith('<')) return (yield* scan.afterSpace(1)) === '[';
    const name = yield* callAhead(scan);
    return name !== undefined && isOffered(builder, name);
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text === '') return yield* parseCallSyntax(scan, builder, []);
    if (builder.openingMarker.text !== '[') {
      yield* scan.space();
      yield* scan.takeText('[');
    }
    yield* parseCallList(scan, builder, ['<|python_end|>']);
    yield* scan.space();
    yield* scan.takeText('<|python_end|>');
  },
  ambiguous: true,
  renderToolPrompt: (tools, choice) =>
    toolPrompt(tools, choice, pythonicLlama.renderCall(example), [
      'Write the calls as Python, in one list, and nothing else.',
    ]),
  renderCall: (call) => `[${renderCallSyntax(call, true)}]`,
  closingMarkers: () => ['<|python_end|>'],
  template: llama4Template,
  ...toolResponse,
  canExpress: callSyntaxCanExpress,
};
