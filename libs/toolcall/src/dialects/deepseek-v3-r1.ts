import type { Dialect, Hearing, Opener } from '../dialect.ts';
import { readArguments } from '../families/arguments.ts';
import { begin, end, section, sectionEnd, separator, spellings } from '../families/deepseek.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { GaveUp, type Scanner, type Step, unsure } from '../scanner.ts';

const ends = spellings(end);
const sectionEnds = spellings(sectionEnd);
const begins = spellings(begin);
const separators = spellings(separator);
const closes = [...ends, ...sectionEnds, ...begins];

/** One call from behind its begin marker: `NAME<sep>{…}`, or `function<sep>NAME⏎` and a fence with the arguments. */
function* readOne(scan: Scanner, hear: Hearing): Step<void> {
  let name = yield* scan.run(/[^<\n]/, 256);
  if (!(yield* scan.oneOf(separators))) throw new GaveUp('not-a-call');
  let fenced = false;
  if (name.trim() === 'function' && (yield* scan.peek()) !== '{') {
    name = yield* scan.run(/[^\n`{<]/, 256);
    yield* scan.space();
    fenced = yield* scan.word('```');
    if (fenced) yield* scan.word('json');
  }
  const call = hear.open(name.trim());
  yield* scan.space();
  const next = yield* scan.peek();
  if (next === '') throw new GaveUp('cut');
  yield* readArguments(scan, call, fenced ? ['```', ...closes] : closes);
  yield* dropClosers(scan, hear);
  if (fenced) {
    yield* scan.space();
    yield* scan.word('```');
  }
  call.close();
  yield* scan.space();
  if (!(yield* scan.oneOf(ends))) hear.mend('close-wrapper', scan.offset, scan.offset);
}

/** The section of DeepSeek's V3 family, whatever the calls look like in it. */
export function* readSection(scan: Scanner, hear: Hearing): Step<void> {
  const single = begins.includes(hear.opener.word);
  let from = scan.offset;
  if (single) {
    yield* readOne(scan, hear);
    hear.stands(from);
  }
  let any = single;
  for (;;) {
    yield* scan.space();
    from = scan.offset;
    if (yield* scan.oneOf(begins)) {
      yield* readOne(scan, hear);
      hear.stands(from);
      any = true;
      continue;
    }
    if (!any) throw new GaveUp('not-a-call');
    if (!(yield* scan.oneOf(sectionEnds)) && !single) hear.mend('close-wrapper', scan.offset, scan.offset);
    return;
  }
}

/** The openers of DeepSeek's V3 family. */
export const sectionOpeners: readonly Opener[] = [
  ...spellings(section).map((word, place) => ({
    word,
    at: 'anywhere' as const,
    ...(place > 0 && { rule: 'ascii-marker' as const }),
  })),
  ...begins.map((word) => ({ word, at: 'anywhere' as const, rule: 'open-wrapper' as const })),
];

/** True if a call, or a section of calls, goes on here. */
export function* sectionFits(scan: Scanner, hear: Hearing): Step<boolean> {
  if (begins.includes(hear.opener.word)) return /^[\w\s.:-]{1,80}<[|｜]tool/.test(yield* scan.ahead(90));
  const ahead = yield* scan.afterSpace(begin.length);
  return begins.some((word) => ahead.startsWith(word));
}

/** "functionNAME⏎```json⏎{…}⏎```": what is left when a server strips the markers. */
function* readStripped(scan: Scanner, hear: Hearing): Step<void> {
  const name = yield* scan.run(/[^\n`{]/, 256);
  const call = hear.open(name.trim());
  yield* scan.space();
  yield* scan.word('```');
  yield* scan.word('json');
  yield* scan.space();
  yield* readArguments(scan, call, ['```']);
  yield* scan.space();
  yield* scan.word('```');
  call.close();
}

/** "`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME⏎`" and a json fence with the arguments, "`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`" */
export const deepseekV3R1: Dialect = {
  name: 'deepseek-v3-r1',
  opens: () => [...sectionOpeners, { word: 'function', at: 'answer', rule: 'restore-markers', plain: true }],
  *fits(scan, hear) {
    if (hear.opener.word !== 'function') return yield* sectionFits(scan, hear);
    return yield* scan.look(96, (ahead, all) => {
      const name = /^([\w.-]+)\n```json/.exec(ahead)?.[1];
      if (name !== undefined) return hear.tools.get(name) !== undefined;
      return !all && /^[\w.-]*(?:\n(?:`{0,3}|```j|```js|```jso))?$/.test(ahead) ? unsure : false;
    });
  },
  *read(scan, hear) {
    if (hear.opener.word === 'function') yield* readStripped(scan, hear);
    else yield* readSection(scan, hear);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, deepseekV3R1.write(example), ['Several calls stand in one section, one behind the other.']),
  write: (call) =>
    `${section}${begin}function${separator}${call.name}\n\`\`\`json\n${argumentsJson(call)}\n\`\`\`${end}${sectionEnd}`,
  writeResult: ({ text }) =>
    `<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜><｜tool▁outputs▁end｜>`,
  fence: (tool) => ({
    trigger: section,
    begin: `${section}${begin}function${separator}${tool.name}\n\`\`\`json\n`,
    end: `\n\`\`\`${end}${sectionEnd}`,
  }),
};
