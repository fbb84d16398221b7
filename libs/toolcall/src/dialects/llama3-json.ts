import type { Dialect } from '../dialect.ts';
import { callAhead, parseCallSyntax } from '../families/call-syntax.ts';
import { llama3Template } from '../families/chat-templates.ts';
import { type JsonCallShape, parseJsonCalls } from '../families/json-calls.ts';
import { toolResponse } from '../families/result-format.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';

const shape: JsonCallShape = { nameKey: 'name', argumentsKey: 'parameters', closingMarkers: [] };
const marker = '<|python_tag|>';

/**
 * `<|python_tag|>{"name": …, "parameters": {…}}`; the marker may be missing, calls are separated by `; `; built-in
 * tools are called as `NAME.call(query="…")`
 */
export const llama3Json: Dialect = {
  name: 'llama3-json',
  openingMarkers: (_tools, own) =>
    own
      ? [
          { text: marker, at: 'anywhere' },
          { text: '{', at: 'line', onlyAtEnd: 'behind-prose' },
        ]
      : [{ text: marker, at: 'anywhere' }],
  *matches(scan) {
    return (yield* scan.afterSpace(1)) !== '';
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text !== marker) {
      scan.back(1);
      yield* parseJsonCalls(scan, builder, { ...shape, unmarked: true });
      return;
    }
    if (yield* callAhead(scan)) yield* parseCallSyntax(scan, builder, []);
    else yield* parseJsonCalls(scan, builder, shape);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, llama3Json.renderCall(example), ['Call one tool at a time.']),
  renderCall: (call) => `{"name": ${JSON.stringify(call.name)}, "parameters": ${argumentsJson(call)}}`,
  template: llama3Template,
  ...toolResponse,
  // The object without a marker could be an answer in JSON.
  fence: ({ name }) => ({
    trigger: marker,
    begin: `${marker}{"name": ${JSON.stringify(name)}, "parameters": `,
    end: '}',
    style: 'json',
  }),
};
