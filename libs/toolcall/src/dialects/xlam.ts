import type { Dialect } from '../dialect.ts';
import { parseClosingMarker, parseJsonCalls } from '../families/json-calls.ts';
import { toolResponse } from '../families/result-format.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';

const markers = ['[TOOL_CALLS]', '<tool_call>'];
const closes = ['</tool_call>'];

/** `[{"name": …, "arguments": {…}}]` as the answer; also behind `</think>`, in a fence, behind `[TOOL_CALLS]` or in `<tool_call>` */
export const xlam: Dialect = {
  name: 'xlam',
  ambiguous: true,
  openingMarkers: (_tools, own) => [
    { text: '[', at: own ? 'line' : 'answer' },
    ...(own ? markers.map((text) => ({ text, at: 'anywhere' as const })) : []),
  ],
  *matches(scan, builder) {
    if (builder.openingMarker.text === '[') return true;
    const next = yield* scan.afterSpace(1);
    return next === '[' || next === '{';
  },
  *parse(scan, builder) {
    const marked = builder.openingMarker.text !== '[';
    if (!marked) scan.back(1);
    yield* parseJsonCalls(scan, builder, {
      nameKey: 'name',
      argumentsKey: 'arguments',
      closingMarkers: marked ? closes : [],
      unmarked: !marked,
    });
    if (builder.openingMarker.text === '<tool_call>') yield* parseClosingMarker(scan, builder, closes);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, xlam.renderCall(example), [several('For several calls put them all into the list.')]),
  renderCall: (call) => `[{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}]`,
  closingMarkers: () => closes,
  ...toolResponse,
};
