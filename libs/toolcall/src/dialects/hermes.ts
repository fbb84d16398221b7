import type { Dialect } from '../dialect.ts';
import { chatml } from '../families/chat-templates.ts';
import { jsonBlock } from '../families/json-block.ts';
import { parseClosingMarker, parseJsonCalls } from '../families/json-calls.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { toolResponse } from '../families/result-format.ts';

const block = jsonBlock({
  name: 'hermes',
  openingMarkers: [{ text: '<tool_call>', at: 'anywhere' }],
  closingMarkers: ['</tool_call>'],
  strippedStart: '{',
  wrap: (json) => `<tool_call>\n${json}\n</tool_call>`,
  reasoning: [thinkBlock, { open: '<scratch_pad>', closes: ['</scratch_pad>'], at: 'line', elsewhere: 'line' }],
  result: toolResponse,
  template: chatml,
});

const toolsOpen = '<tools>';
const toolsClose = '</tools>';

/**
 * `<tool_call>⏎{"name": …, "arguments": {…}}⏎</tool_call>`. Qwen2.5-Coder puts the JSON into a fence at the answer's end
 * instead, or into the `<tools>` of its prompt.
 */
export const hermes: Dialect = {
  ...block,
  openingMarkers: (tools, own) => [
    ...block.openingMarkers(tools, own),
    { text: toolsOpen, at: 'line', rule: 'foreign-wrapper', ambiguous: true, onlyAtEnd: 'always' },
    ...(own ? ['{', '['] : []).map((text) => ({ text, at: 'fence' as const, rule: 'restore-markers' as const })),
  ],
  *matches(scan, builder) {
    if (builder.openingMarker.text !== toolsOpen) return block.matches ? yield* block.matches(scan, builder) : true;
    const next = yield* scan.afterSpace(1);
    return next === '{' || next === '[';
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text !== toolsOpen) return yield* block.parse(scan, builder);
    yield* parseJsonCalls(scan, builder, {
      nameKey: 'name',
      argumentsKey: 'arguments',
      closingMarkers: [toolsClose],
      unmarked: true,
    });
    yield* parseClosingMarker(scan, builder, [toolsClose]);
  },
};
