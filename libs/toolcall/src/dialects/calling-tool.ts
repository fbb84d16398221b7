import type { Dialect } from '../dialect.ts';
import { fencePattern } from '../families/arguments.ts';
import { parseCallSyntax } from '../families/call-syntax.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';

const bracketed = '[Calling tool:';

const nameAndObject = new RegExp(`^[\\w.:-]+\\s*\\(\\s*(?:"|${fencePattern})?\\{`);
const nameAndArguments = new RegExp(`^\\s*([\\w.:-]+)\\s*\\(\\s*(?:(?:"|${fencePattern})?\\{|\\)|[A-Za-z_]\\w*\\s*=)`);

/**
 * `[Calling tool: NAME({…})]`, one per line: how MLX servers (vllm-mlx and its forks) write past calls if a chat
 * template does not support them, so that models imitate it; Qwen's models leave the brackets out.
 */
export const callingTool: Dialect = {
  name: 'calling-tool',
  openingMarkers: () => [
    { text: bracketed, at: 'line', onlyWithOfferedName: true },
    { text: 'Calling tool:', at: 'line', onlyWithOfferedName: true, ambiguous: true },
  ],
  *matches(scan, builder) {
    const head = nameAndArguments.exec(yield* scan.ahead(160));
    return head !== null && builder.tools.get(head[1] as string) !== undefined;
  },
  *parse(scan, builder) {
    yield* scan.space();
    if (nameAndObject.test(yield* scan.ahead(160))) {
      const name = yield* scan.run(/[\w.:-]/, 128);
      yield* scan.space();
      yield* scan.takeText('(');
      yield* parseNamedArguments(scan, builder, name, [')'], [')']);
    } else yield* parseCallSyntax(scan, builder, [']']);
    if (builder.openingMarker.text === bracketed && !(yield* scan.takeText(']')))
      builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, callingTool.renderCall(example), [several('Write one call a line.')]),
  renderCall: (call) => `${bracketed} ${call.name}(${argumentsJson(call)})]`,
  renderResult: ({ callId, text }) => `[Tool Result (${callId})]: ${text}`,
  resultMarkers: [{ text: '[Tool Result (', at: 'line', behind: /^[^\n)]*\)\]:/ }],
};
