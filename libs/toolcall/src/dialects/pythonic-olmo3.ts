import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxSays, readCallSyntax, writeCallSyntax } from '../families/call-syntax.ts';
import { readClose } from '../families/json-calls.ts';
import { example, lesson } from '../families/teach.ts';

const end = '</function_calls>';

/** `<function_calls>f(a="x")⏎g(b=2)</function_calls>`, one call a line */
export const pythonicOlmo3: Dialect = {
  name: 'pythonic-olmo3',
  opens: () => [{ word: '<function_calls>', at: 'anywhere' }],
  *fits(scan) {
    return (yield* callAhead(scan)) !== undefined;
  },
  *read(scan, hear) {
    do {
      yield* scan.space();
      const from = scan.offset;
      yield* readCallSyntax(scan, hear, [end]);
      hear.stands(from);
    } while (yield* callAhead(scan));
    yield* readClose(scan, hear, [end]);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, pythonicOlmo3.write(example), ['Several calls stand in one block, one a line.']),
  write: (call) => `<function_calls>${writeCallSyntax(call, false)}${end}`,
  writeResult: ({ text }) => text,
  says: callSyntaxSays,
};
