import type { Dialect } from '../dialect.ts';
import { callSyntaxSays, writeCallSyntax } from '../families/call-syntax.ts';
import { readClose, readJsonCalls } from '../families/json-calls.ts';
import { example, lesson } from '../families/teach.ts';
import { readCallList } from './pythonic-llama.ts';

const end = '<|tool_call_end|>';

/** `<|tool_call_start|>[f(a='x')]<|tool_call_end|>` and then text; a JSON list occurs too */
export const pythonicLfm2: Dialect = {
  name: 'pythonic-lfm2',
  opens: () => [{ word: '<|tool_call_start|>', at: 'anywhere' }],
  *fits(scan) {
    const next = yield* scan.afterSpace(1);
    return next === '[' || next === '{';
  },
  *read(scan, hear) {
    if (/^[{[]\s*[{"\]]/.test(yield* scan.afterSpace(8))) {
      yield* readJsonCalls(scan, hear, { name: 'name', args: 'arguments', closes: [end] });
    } else {
      yield* scan.space();
      yield* scan.word('[');
      yield* readCallList(scan, hear, [end]);
    }
    yield* readClose(scan, hear, [end]);
  },
  teach: (tools, choice) => lesson(tools, choice, pythonicLfm2.write(example)),
  write: (call) => `<|tool_call_start|>[${writeCallSyntax(call, true)}]${end}`,
  writeResult: ({ text }) => `<|tool_response_start|>${text}<|tool_response_end|>`,
  says: callSyntaxSays,
};
