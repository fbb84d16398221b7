import type { Dialect, Hearing } from '../dialect.ts';
import { readArguments } from '../families/arguments.ts';
import { dropClosers, offeredAhead, readNamed } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { OpenTools } from '../open-tools.ts';
import { GaveUp, type Scanner, type Step, unsure } from '../scanner.ts';

const marker = '[TOOL_CALLS]';

/** `NAME[ARGS]{…}`, `NAME[CALL_ID]id[ARGS]{…}`, `NAME{…}` */
function* readOne(scan: Scanner, hear: Hearing): Step<void> {
  yield* scan.space();
  const name = yield* scan.run(/[^[{\s]/, 256);
  if (name === '') throw new GaveUp('not-a-call');
  if (yield* scan.word('[CALL_ID]')) yield* scan.run(/[^[{]/, 64);
  yield* scan.word('[ARGS]');
  if (!'{["'.includes((yield* scan.afterSpace(1)) || '{')) throw new GaveUp('not-a-call');
  const call = hear.open(name);
  yield* scan.space();
  if ((yield* scan.peek()) === '') throw new GaveUp('cut');
  yield* readArguments(scan, call, [marker]);
  yield* dropClosers(scan, hear);
  call.close();
}

/** `NAME{`, or `NAMEabc123def{` with a call id of nine letters or digits glued to it: what is left when a server strips the markers. */
function* strippedAhead(scan: Scanner, hear: Hearing): Step<{ name: string; length: number } | undefined> {
  const name = yield* offeredAhead(scan, hear, /^\{/);
  if (name !== undefined) return { name, length: name.length };
  if (hear.tools instanceof OpenTools) return undefined;
  return yield* scan.look(96, (ahead, all) => {
    const glued = /^([\w.-]+)[A-Za-z0-9]{9}\{/.exec(ahead);
    const bare = glued?.[1];
    if (glued && bare !== undefined && hear.tools.get(bare)) return { name: bare, length: glued[0].length - 1 };
    return !all && hear.tools.list.some(({ name }) => mayBecomeGlued(ahead, name)) ? unsure : undefined;
  });
}

const mayBecomeGlued = (ahead: string, name: string): boolean =>
  name.startsWith(ahead) || (ahead.startsWith(name) && /^[A-Za-z0-9]{0,9}$/.test(ahead.slice(name.length)));

/** Mistral's ways since tokenizer v11, with or without a call id. */
export function mistralNamed(name: string, id: (callId: string) => string, result: Dialect['writeResult']): Dialect {
  const dialect: Dialect = {
    name,
    opens: () => [
      { word: marker, at: 'anywhere' },
      { word: '', at: 'answer', rule: 'restore-markers', plain: true },
    ],
    *fits(scan, hear) {
      if (hear.opener.word === '') return (yield* strippedAhead(scan, hear)) !== undefined;
      return /^\s*[\w.:-]+\s*[[{]/.test(yield* scan.ahead(80)) && (yield* scan.afterSpace(1)) !== '[';
    },
    *read(scan, hear) {
      if (hear.opener.word !== '') {
        yield* readOne(scan, hear);
        return;
      }
      for (let found = yield* strippedAhead(scan, hear); found; found = yield* strippedAhead(scan, hear)) {
        const from = scan.offset;
        scan.at += found.length;
        yield* readNamed(scan, hear, found.name, []);
        hear.stands(from);
      }
    },
    reasoning: [{ open: '[THINK]', closes: ['[/THINK]'], at: 'anywhere' }],
    frames: ['[/TOOL_CALLS]'],
    teach: (tools, choice) => lesson(tools, choice, dialect.write(example)),
    write: (call) => `${marker}${call.name}${id(call.id)}[ARGS]${argumentsJson(call)}`,
    writeResult: result,
    fence: (tool) => ({ trigger: marker, begin: `${marker}${tool.name}[ARGS]`, end: '' }),
  };
  return dialect;
}

/** `[TOOL_CALLS]NAME[ARGS]{…}`, the marker before each call; stripped: `NAME{…}NAME{…}` */
export const mistralV11 = mistralNamed(
  'mistral-v11',
  () => '',
  ({ text }) => `[TOOL_RESULTS]${text}[/TOOL_RESULTS]`,
);
