import type { Dialect } from '../dialect.ts';
import { readNamed } from '../families/named-arguments.ts';
import { readTagHead } from '../families/tags.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { GaveUp } from '../scanner.ts';

/** `<function=NAME>{…}</function>` */
export const functionaryV31: Dialect = {
  name: 'functionary-v3.1',
  opens: () => [{ word: '<function', at: 'anywhere' }],
  *fits(scan, hear) {
    const head = /^\s*(?:=|name\s*=)\s*["']?([\w.-]+)["']?\s*>\s*\{/.exec(yield* scan.ahead(96));
    return head !== null && (hear.own || hear.tools.get(head[1] as string) !== undefined);
  },
  *read(scan, hear) {
    const head = yield* readTagHead(scan, '=');
    if (!head) throw new GaveUp('not-a-call');
    yield* readNamed(scan, hear, head.name, ['</function>', '<function']);
  },
  teach: (tools, choice) => lesson(tools, choice, functionaryV31.write(example)),
  write: (call) => `<function=${call.name}>${argumentsJson(call)}</function>`,
  writeResult: ({ text }) => text,
  fence: (tool) => ({ trigger: '<function=', begin: `<function=${tool.name}>`, end: '</function>' }),
};
