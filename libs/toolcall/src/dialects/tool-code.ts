import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxCanExpress, parseCallSyntax, renderCallSyntax } from '../families/call-syntax.ts';
import { isOffered, parseJsonCalls } from '../families/json-calls.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { unsure } from '../scanner.ts';

const fences = ['```tool_code', '```tool_call', '```python'];

/** The beginning of a call, printed or in a list, or of JSON, that has not come to what tells. No two of its spaces stand side by side: a long row of them is looked at once. */
const mayBeCall = /^(?:\s*[[{]?|s?\s*(?:[A-Za-z_][\w.]*\s*(?:\(\s*)?)?(?:\[\s*)?(?:[A-Za-z_][\w.]*)?)\s*$/;

/** "```tool_code⏎print(f(x=1))⏎```" (Gemma), "```tool_call⏎{…}⏎```" */
export const toolCode: Dialect = {
  name: 'tool-code',
  ambiguous: true,
  openingMarkers: (_tools, own) => fences.slice(0, own ? 3 : 2).map((text) => ({ text, at: 'line' })),
  *matches(scan, builder) {
    return yield* scan.look(160, (ahead, all) => {
      if (/^\s*[[{]\s*[{"]/.test(ahead)) return builder.openingMarker.text !== '```python';
      if (!all && mayBeCall.test(ahead)) return unsure;
      const name = /^s?\s*(?:print\s*\(\s*)?\[?\s*([A-Za-z_][\w.]*)\s*\(/.exec(ahead)?.[1];
      return name !== undefined && isOffered(builder, name);
    });
  },
  *parse(scan, builder) {
    yield* scan.space();
    if (/^[[{]\s*[{"]/.test(yield* scan.ahead(8))) {
      yield* parseJsonCalls(scan, builder, {
        nameKey: 'name',
        argumentsKey: 'arguments',
        closingMarkers: ['```'],
        unmarked: true,
      });
    } else {
      for (;;) {
        const from = scan.offset;
        const printed = /^print\s*\(\s*/.exec(yield* scan.ahead(16))?.[0];
        if (printed !== undefined) scan.at += printed.length;
        yield* scan.takeText('[');
        yield* parseCallSyntax(scan, builder, ['```']);
        if (printed !== undefined) {
          yield* scan.space();
          yield* scan.takeText(')');
        }
        builder.setRange(from);
        yield* scan.run(/[\s)\],;]/, 64);
        const next = yield* callAhead(scan);
        if (next === undefined || (next !== 'print' && !isOffered(builder, next))) break;
      }
    }
    yield* scan.space();
    if (!(yield* scan.takeText('```'))) builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, choice) =>
    toolPrompt(tools, choice, toolCode.renderCall(example), ['Write one call a line in the block.']),
  renderCall: (call) => `\`\`\`tool_code\n${renderCallSyntax(call, true)}\n\`\`\``,
  closingMarkers: () => ['```'],
  renderResult: ({ text }) => `\`\`\`tool_output\n${text}\n\`\`\``,
  resultMarkers: [{ text: '```tool_output', at: 'line', ambiguous: true }],
  canExpress: callSyntaxCanExpress,
};
