import type { CallBuilder, Dialect, OpeningMarker, ResultMarker } from '../dialect.ts';
import { parseArguments } from '../families/arguments.ts';
import { deepseekTemplate } from '../families/chat-templates.ts';
import { callBegin, callEnd, sectionBegin, sectionEnd, separator, spellings } from '../families/deepseek.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { argumentsJson, example, several, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';

const ends = spellings(callEnd);
const sectionEnds = spellings(sectionEnd);
const begins = spellings(callBegin);
const separators = spellings(separator);
const closes = [...ends, ...sectionEnds, ...begins];

/** One call, after its begin marker: `NAME<sep>{…}`, or `function<sep>NAME⏎` and a fence with the arguments. */
function* parseOneCall(scan: Scanner, builder: CallBuilder): Step<void> {
  let name = yield* scan.run(/[^<\n]/, 256);
  if (!(yield* scan.oneOf(separators))) throw new ParseFailure('not-a-call');
  let fenced = false;
  if (name.trim() === 'function' && (yield* scan.peek()) !== '{') {
    name = yield* scan.run(/[^\n`{<]/, 256);
    yield* scan.space();
    fenced = yield* scan.takeText('```');
    if (fenced) yield* scan.takeText('json');
  }
  const call = builder.open(name.trim());
  yield* scan.space();
  const next = yield* scan.peek();
  if (next === '') throw new ParseFailure('cut');
  yield* parseArguments(scan, call, fenced ? ['```', ...closes] : closes);
  yield* dropClosers(scan, builder);
  if (fenced) {
    yield* scan.space();
    yield* scan.takeText('```');
  }
  call.close();
  yield* scan.space();
  if (!(yield* scan.oneOf(ends))) builder.repair('close-wrapper', scan.offset, scan.offset);
}

/** The section of DeepSeek's V3 family, with its calls in any form. */
export function* parseSection(scan: Scanner, builder: CallBuilder): Step<void> {
  const single = begins.includes(builder.openingMarker.text);
  let from = scan.offset;
  if (single) {
    yield* parseOneCall(scan, builder);
    builder.setRange(from);
  }
  let any = single;
  for (;;) {
    yield* scan.space();
    from = scan.offset;
    if (yield* scan.oneOf(begins)) {
      yield* parseOneCall(scan, builder);
      builder.setRange(from);
      any = true;
      continue;
    }
    if (!any) throw new ParseFailure('not-a-call');
    if (!(yield* scan.oneOf(sectionEnds)) && !single) builder.repair('close-wrapper', scan.offset, scan.offset);
    return;
  }
}

/** The closing markers of DeepSeek's V3 family. */
export const sectionClosers: readonly string[] = [...ends, ...sectionEnds];

/** The markers that begin one or more results in DeepSeek's V3 family. */
export const outputMarkers: readonly ResultMarker[] = ['<｜tool▁outputs▁begin｜>', '<｜tool▁output▁begin｜>'].map(
  (text) => ({ text, at: 'anywhere' }),
);

/** The opening markers of DeepSeek's V3 family. */
export const sectionOpenings: readonly OpeningMarker[] = [
  ...spellings(sectionBegin).map((text, place) => ({
    text,
    at: 'anywhere' as const,
    ...(place > 0 && { rule: 'ascii-marker' as const }),
  })),
  ...begins.map((text) => ({ text, at: 'anywhere' as const, rule: 'open-wrapper' as const })),
];

/** True if a call, or a section of calls, continues here. */
export function* sectionMatches(scan: Scanner, builder: CallBuilder): Step<boolean> {
  if (begins.includes(builder.openingMarker.text)) return /^[\w\s.:-]{1,80}<[|｜]tool/.test(yield* scan.ahead(90));
  const ahead = yield* scan.afterSpace(callBegin.length);
  return begins.some((marker) => ahead.startsWith(marker));
}

/** "functionNAME⏎```json⏎{…}⏎```": what is left when a server strips the markers. */
function* parseStripped(scan: Scanner, builder: CallBuilder): Step<void> {
  const name = yield* scan.run(/[^\n`{]/, 256);
  const call = builder.open(name.trim());
  yield* scan.space();
  yield* scan.takeText('```');
  yield* scan.takeText('json');
  yield* scan.space();
  yield* parseArguments(scan, call, ['```']);
  yield* scan.space();
  yield* scan.takeText('```');
  call.close();
}

/** "`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME⏎`" and a json fence with the arguments, "`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`" */
export const deepseekV3R1: Dialect = {
  name: 'deepseek-v3-r1',
  openingMarkers: () => [
    ...sectionOpenings,
    { text: 'function', at: 'answer', rule: 'restore-markers', ambiguous: true },
  ],
  *matches(scan, builder) {
    if (builder.openingMarker.text !== 'function') return yield* sectionMatches(scan, builder);
    return yield* scan.look(96, (ahead, all) => {
      const name = /^([\w.-]+)\n```json/.exec(ahead)?.[1];
      if (name !== undefined) return builder.tools.get(name) !== undefined;
      return !all && /^[\w.-]*(?:\n(?:`{0,3}|```j|```js|```jso))?$/.test(ahead) ? unsure : false;
    });
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text === 'function') yield* parseStripped(scan, builder);
    else yield* parseSection(scan, builder);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, deepseekV3R1.renderCall(example), [
      several('Several calls stand in one section, one behind the other.'),
    ]),
  renderCall: (call) =>
    `${sectionBegin}${callBegin}function${separator}${call.name}\n\`\`\`json\n${argumentsJson(call)}\n\`\`\`${callEnd}${sectionEnd}`,
  reasoning: [thinkBlock],
  template: deepseekTemplate,
  closingMarkers: () => sectionClosers,
  innerMarkers: [separator],
  renderResult: ({ text }) =>
    `<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜><｜tool▁outputs▁end｜>`,
  resultMarkers: outputMarkers,
  resultEnds: ['<｜tool▁output▁end｜>', '<｜tool▁outputs▁end｜>'],
  fence: (tool) => ({
    trigger: sectionBegin,
    begin: `${sectionBegin}${callBegin}function${separator}${tool.name}\n\`\`\`json\n`,
    end: `\n\`\`\`${callEnd}${sectionEnd}`,
    style: 'json',
  }),
};
