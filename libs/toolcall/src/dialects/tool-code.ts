import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxSays, readCallSyntax, writeCallSyntax } from '../families/call-syntax.ts';
import { isOffered, readJsonCalls } from '../families/json-calls.ts';
import { example, lesson } from '../families/teach.ts';
import { unsure } from '../scanner.ts';

const openers = ['```tool_code', '```tool_call', '```python'];

/** The beginning of a call, printed or in a list, or of JSON, that has not come to what tells. No two of its spaces stand side by side: a long row of them is looked at once. */
const mayBeCall = /^(?:\s*[[{]?|s?\s*(?:[A-Za-z_][\w.]*\s*(?:\(\s*)?)?(?:\[\s*)?(?:[A-Za-z_][\w.]*)?)\s*$/;

/** "```tool_code⏎print(f(x=1))⏎```" (Gemma), "```tool_call⏎{…}⏎```" */
export const toolCode: Dialect = {
  name: 'tool-code',
  plain: true,
  opens: (_tools, own) => openers.slice(0, own ? 3 : 2).map((word) => ({ word, at: 'line' })),
  *fits(scan, hear) {
    return yield* scan.look(160, (ahead, all) => {
      if (/^\s*[[{]\s*[{"]/.test(ahead)) return hear.opener.word !== '```python';
      if (!all && mayBeCall.test(ahead)) return unsure;
      const name = /^s?\s*(?:print\s*\(\s*)?\[?\s*([A-Za-z_][\w.]*)\s*\(/.exec(ahead)?.[1];
      return name !== undefined && isOffered(hear, name);
    });
  },
  *read(scan, hear) {
    yield* scan.space();
    if (/^[[{]\s*[{"]/.test(yield* scan.ahead(8))) {
      yield* readJsonCalls(scan, hear, { name: 'name', args: 'arguments', closes: ['```'], bare: true });
    } else {
      for (;;) {
        const from = scan.offset;
        const printed = /^print\s*\(\s*/.exec(yield* scan.ahead(16))?.[0];
        if (printed !== undefined) scan.at += printed.length;
        yield* scan.word('[');
        yield* readCallSyntax(scan, hear, ['```']);
        if (printed !== undefined) {
          yield* scan.space();
          yield* scan.word(')');
        }
        hear.stands(from);
        yield* scan.run(/[\s)\],;]/, 64);
        const next = yield* callAhead(scan);
        if (next === undefined || (next !== 'print' && !isOffered(hear, next))) break;
      }
    }
    yield* scan.space();
    if (!(yield* scan.word('```'))) hear.mend('close-wrapper', scan.offset, scan.offset);
  },
  teach: (tools, choice) => lesson(tools, choice, toolCode.write(example), ['Write one call a line in the block.']),
  write: (call) => `\`\`\`tool_code\n${writeCallSyntax(call, true)}\n\`\`\``,
  writeResult: ({ text }) => `\`\`\`tool_output\n${text}\n\`\`\``,
  says: callSyntaxSays,
};
