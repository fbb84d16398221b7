import type { Dialect } from '../dialect.ts';
import { callAhead, callSyntaxSays, readCallSyntax, writeCallSyntax } from '../families/call-syntax.ts';
import { isOffered } from '../families/json-calls.ts';
import { example, lesson } from '../families/teach.ts';

/** `Tool: name(arg="value", n=1)`, one a line */
export const toolColonCall: Dialect = {
  name: 'tool-colon-call',
  plain: true,
  opens: () => [{ word: 'Tool:', at: 'line' }],
  *fits(scan, hear) {
    const name = yield* callAhead(scan);
    return name !== undefined && isOffered(hear, name);
  },
  *read(scan, hear) {
    yield* readCallSyntax(scan, hear, ['\nTool:']);
  },
  teach: (tools, choice) => lesson(tools, choice, toolColonCall.write(example), ['Write one call a line.']),
  write: (call) => `Tool: ${writeCallSyntax(call, false)}`,
  writeResult: ({ name, text }) => `Result of ${name}:\n${text}`,
  says: callSyntaxSays,
};
