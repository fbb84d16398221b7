import type { Dialect, Hearing, Opener } from '../dialect.ts';
import { callAhead, callSyntaxSays, readCallSyntax, writeCallSyntax } from '../families/call-syntax.ts';
import { isOffered } from '../families/json-calls.ts';
import { example, lesson } from '../families/teach.ts';
import type { Scanner, Step } from '../scanner.ts';

/** `[f(a=1, b="x"), g()]` from behind the bracket to its end. */
export function* readCallList(scan: Scanner, hear: Hearing, ends: readonly string[]): Step<void> {
  for (;;) {
    yield* scan.space();
    const from = scan.offset;
    yield* readCallSyntax(scan, hear, ends);
    hear.stands(from);
    yield* scan.space();
    if (yield* scan.word(']')) return;
    if (!(yield* scan.word(','))) {
      hear.mend('add-closers', scan.offset, scan.offset);
      return;
    }
    if ((yield* scan.afterSpace(1)) !== ']') continue;
    yield* scan.space();
    scan.at++;
    return;
  }
}

/** `[f(a=1, b="x"), g()]`: Llama 3.2 to 4, ToolACE; Llama 4 may put `<|python_start|>…<|python_end|>` round it */
export const pythonicLlama: Dialect = {
  name: 'pythonic-llama',
  opens: (_tools, own) => {
    const openers: Opener[] = [{ word: '<|python_start|>', at: 'anywhere' }];
    // a list of calls is prose anywhere but where it is the model's own way, or `auto` at the answer's start
    if (!own) return [...openers, { word: '[', at: 'answer' }];
    return [...openers, { word: '[', at: 'line' }, { word: '', at: 'answer', rule: 'open-wrapper' }];
  },
  *fits(scan, hear) {
    if (hear.opener.word.startsWith('<')) return (yield* scan.afterSpace(1)) === '[';
    const name = yield* callAhead(scan);
    return name !== undefined && isOffered(hear, name);
  },
  *read(scan, hear) {
    if (hear.opener.word === '') return yield* readCallSyntax(scan, hear, []);
    if (hear.opener.word !== '[') {
      yield* scan.space();
      yield* scan.word('[');
    }
    yield* readCallList(scan, hear, ['<|python_end|>']);
    yield* scan.space();
    yield* scan.word('<|python_end|>');
  },
  plain: true,
  teach: (tools, choice) =>
    lesson(tools, choice, pythonicLlama.write(example), ['Write the calls as Python, in one list, and nothing else.']),
  write: (call) => `[${writeCallSyntax(call, true)}]`,
  writeResult: ({ text }) => text,
  says: callSyntaxSays,
};
