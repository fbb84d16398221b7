import type { Dialect } from '../dialect.ts';
import { fencePattern } from '../families/arguments.ts';
import { llama3Template } from '../families/chat-templates.ts';
import { offeredNameAhead, parseNamedArguments } from '../families/named-arguments.ts';
import { toolResponse } from '../families/result-format.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';

const jsonLine = new RegExp(`^\\s*\\n\\s*(?:(?:${fencePattern})?\\{|"\\{)`);

/** `all⏎TEXT>>>NAME⏎{…}>>>NAME⏎{…}`: segments separated by `>>>`; the first has none */
export const functionaryV32: Dialect = {
  name: 'functionary-v3.2',
  ambiguous: true,
  openingMarkers: () => [
    { text: '>>>', at: 'anywhere' },
    { text: '', at: 'answer' },
  ],
  *matches(scan, builder) {
    return (yield* offeredNameAhead(scan, builder, jsonLine)) !== undefined;
  },
  *parse(scan, builder) {
    const name = (yield* offeredNameAhead(scan, builder, jsonLine)) ?? '';
    scan.at += name.length;
    yield* parseNamedArguments(scan, builder, name, ['>>>'], []);
  },
  frames: [
    { text: '>>>all\n', at: 'anywhere' },
    { text: 'all\n', at: 'line' },
  ],
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, `>>>${functionaryV32.renderCall(example).slice(3)}`, ['Text stands under the name all.']),
  renderCall: (call) => `>>>${call.name}\n${argumentsJson(call)}`,
  template: llama3Template,
  ...toolResponse,
};
