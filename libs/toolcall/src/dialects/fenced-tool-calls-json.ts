import type { Dialect } from '../dialect.ts';
import { type JsonCallShape, parseJsonCalls } from '../families/json-calls.ts';
import { resultOf } from '../families/result-format.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';

const shape: JsonCallShape = {
  nameKey: 'name',
  argumentsKey: 'arguments',
  closingMarkers: ['```'],
  underToolCalls: true,
  unmarked: true,
};

/** "```json⏎{"tool_calls": [{"name": …, "arguments": {…}}]}⏎```"; without the fence, as one object or as a list too */
export const fencedToolCallsJson: Dialect = {
  name: 'fenced-tool-calls-json',
  ambiguous: true,
  openingMarkers: (_tools, own) =>
    own
      ? [
          { text: '```', at: 'line' },
          // a call without the list is not this dialect's format: between prose it is an example
          { text: '```', at: 'line', onlyAtEnd: 'behind-prose' },
          { text: '{', at: 'line' },
          { text: '[', at: 'answer' },
        ]
      : [
          { text: '{', at: 'fence' },
          { text: '{', at: 'answer' },
        ],
  closingMarkers: () => ['```'],
  *matches(scan, builder) {
    if (builder.openingMarker.text !== '```') return true;
    const inside = /^(?:json|JSON|tool_calls?|tools?)?[ \t]*\r?\n?\s*([[{][\s\S]*)/.exec(yield* scan.ahead(80))?.[1];
    if (inside === undefined || builder.openingMarker.onlyAtEnd) return inside !== undefined;
    return /^\{\s*"tool_calls"/.test(inside);
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text !== '```') {
      scan.back(1);
      yield* parseJsonCalls(scan, builder, shape);
      return;
    }
    yield* scan.run(/\w/, 16);
    yield* scan.space();
    yield* parseJsonCalls(scan, builder, shape);
    yield* scan.space();
    if (!(yield* scan.takeText('```'))) builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, fencedToolCallsJson.renderCall(example), [
      several('For several calls put them all into the one list "tool_calls".'),
    ]),
  renderCall: (call) =>
    `\`\`\`json\n{"tool_calls": [{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}]}\n\`\`\``,
  ...resultOf,
};
