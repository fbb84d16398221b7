import type { Dialect } from '../dialect.ts';
import { fencePattern } from '../families/arguments.ts';
import { llama3Template } from '../families/chat-templates.ts';
import { isOffered } from '../families/json-calls.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { toolResponse } from '../families/result-format.ts';
import { parseTagHead } from '../families/tags.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure } from '../scanner.ts';

/** What follows the tag's beginning, to the bracket of the arguments. */
const headAndBracket = new RegExp(
  `^\\s*(?:=|name\\s*=)\\s*["']?([\\w.-]+)["']?\\s*>\\s*(?:(?:${fencePattern})?\\{|"\\{)`,
);

/** `<function=NAME>{…}</function>` */
export const functionaryV31: Dialect = {
  name: 'functionary-v3.1',
  openingMarkers: () => [{ text: '<function', at: 'anywhere' }],
  *matches(scan, builder) {
    const head = headAndBracket.exec(yield* scan.ahead(96));
    return head !== null && (builder.own || isOffered(builder, head[1] as string));
  },
  *parse(scan, builder) {
    const head = yield* parseTagHead(scan, '=');
    if (!head) throw new ParseFailure('not-a-call');
    yield* parseNamedArguments(scan, builder, head.name, ['</function>', '<function']);
  },
  renderToolPrompt: (tools, shape) => toolPrompt(tools, shape, functionaryV31.renderCall(example)),
  renderCall: (call) => `<function=${call.name}>${argumentsJson(call)}</function>`,
  closingMarkers: () => ['</function>'],
  template: llama3Template,
  ...toolResponse,
  fence: (tool) => ({ trigger: '<function=', begin: `<function=${tool.name}>`, end: '</function>', style: 'json' }),
};
