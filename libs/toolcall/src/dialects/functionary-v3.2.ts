import type { Dialect } from '../dialect.ts';
import { offeredAhead, readNamed } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';

const jsonLine = /^\s*\n\s*\{/;

/** `all⏎TEXT>>>NAME⏎{…}>>>NAME⏎{…}`: segments parted by `>>>`; the first has none */
export const functionaryV32: Dialect = {
  name: 'functionary-v3.2',
  plain: true,
  opens: () => [
    { word: '>>>', at: 'anywhere' },
    { word: '', at: 'answer' },
  ],
  *fits(scan, hear) {
    return (yield* offeredAhead(scan, hear, jsonLine)) !== undefined;
  },
  *read(scan, hear) {
    const name = (yield* offeredAhead(scan, hear, jsonLine)) ?? '';
    scan.at += name.length;
    yield* readNamed(scan, hear, name, ['>>>'], []);
  },
  frames: ['>>>all\n', 'all\n'],
  teach: (tools, choice) =>
    lesson(tools, choice, `>>>${functionaryV32.write(example).slice(3)}`, ['Text stands under the name all.']),
  write: (call) => `>>>${call.name}\n${argumentsJson(call)}`,
  writeResult: ({ text }) => text,
  fence: (tool) => ({ trigger: '>>>', begin: `>>>${tool.name}\n`, end: '' }),
};
