import type { Dialect } from '../dialect.ts';
import { type JsonCallShape, parseJsonCalls } from '../families/json-calls.ts';
import { resultOf } from '../families/result-format.ts';
import { rulesOutJsonCalls } from '../families/rules-out.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';

const shape: JsonCallShape = {
  nameKey: 'name',
  argumentsKey: 'arguments',
  closingMarkers: [],
  unmarked: true,
  underToolCalls: true,
};

/**
 * The whole answer, or a line of it, is `{"name": …, "arguments": {…}}` or a list of such objects: it has no marker,
 * only an offered name.
 */
export const bareJson: Dialect = {
  name: 'bare-json',
  ambiguous: true,
  openingMarkers: (_tools, own) => [
    { text: '{', at: own ? 'line' : 'answer' },
    { text: '[', at: own ? 'line' : 'answer' },
  ],
  rulesOut: (text, at, _marker, tools) => rulesOutJsonCalls(text, at - 1, { shape, tools }),
  *parse(scan, builder) {
    scan.back(1);
    yield* parseJsonCalls(scan, builder, shape);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, bareJson.renderCall(example), [
      'Write nothing else beside the call.',
      several('For several calls write one object a line.'),
    ]),
  renderCall: (call) => `{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsJson(call)}}`,
  ...resultOf,
};
