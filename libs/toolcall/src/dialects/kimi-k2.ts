import type { PastCall, ToolTable } from '@callsmith/turn';
import type { Dialect, Hearing } from '../dialect.ts';
import { readArguments } from '../families/arguments.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { GaveUp, type Scanner, type Step, unsure } from '../scanner.ts';

const sections = ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'];
const sectionEnds = ['<|tool_calls_section_end|>', '<|tool_call_section_end|>'];
const begin = '<|tool_call_begin|>';
const middle = '<|tool_call_argument_begin|>';
const end = '<|tool_call_end|>';
const closes = [end, ...sectionEnds, begin];

/** What a call's id tells: `functions.NAME:IDX`, or what a client has made of it. `undefined`: only the arguments can tell. */
export function nameFromId(id: string, tools: ToolTable): { name: string; rewritten: boolean } | undefined {
  const usual = /^(?:functions\.)?(.+?):\d+$/.exec(id);
  if (usual) return { name: usual[1] as string, rewritten: false };
  const plain = id.replace(/^functions\./, '');
  if (tools.get(plain)) return { name: plain, rewritten: false };
  const bare = id.replace(/^functions[._]/, '');
  for (const name of [bare, bare.replace(/[_:.-]\d+$/, '')]) if (tools.get(name)) return { name, rewritten: true };
  return /^(?:call_?|chatcmpl-tool-|tool_?)?[\da-f-]*$/i.test(id) || /^call_/.test(id)
    ? undefined
    : { name: id, rewritten: false };
}

function* readOne(scan: Scanner, hear: Hearing): Step<void> {
  yield* scan.space();
  const from = scan.offset;
  const id = (yield* scan.run(/[^<{]/, 256)).trim();
  if (id === '') throw new GaveUp('not-a-call');
  yield* scan.word(middle);
  const named = nameFromId(id, hear.tools);
  const call = hear.open(named?.name ?? id);
  if (named?.rewritten) call.mend('read-call-id', from, from + id.length);
  if (!named) call.inferTool();
  yield* scan.space();
  if ((yield* scan.peek()) === '') throw new GaveUp('cut');
  if (!(yield* scan.sees(end))) yield* readArguments(scan, call, closes);
  yield* dropClosers(scan, hear);
  call.close();
  yield* scan.space();
  if (!(yield* scan.word(end))) hear.mend('close-wrapper', scan.offset, scan.offset);
}

/** "functions.NAME:0{…}": what is left when a server strips the markers. */
function* strippedAhead(scan: Scanner, hear: Hearing): Step<boolean> {
  return yield* scan.look(96, (ahead, all) => {
    const name = /^functions\.([\w.-]+):\d+\s*\{/.exec(ahead)?.[1];
    if (name !== undefined) return hear.tools.get(name) !== undefined;
    return !all && ('functions.'.startsWith(ahead) || /^functions\.[\w.-]*(?::\d*\s*)?$/.test(ahead)) ? unsure : false;
  });
}

/** `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:IDX<|tool_call_argument_begin|>{…}<|tool_call_end|><|tool_calls_section_end|>`; the singular section occurs too */
export const kimiK2: Dialect = {
  name: 'kimi-k2',
  opens: () => [
    ...sections.map((word) => ({ word, at: 'anywhere' as const })),
    { word: begin, at: 'anywhere', rule: 'open-wrapper' },
    { word: 'functions.', at: 'answer', rule: 'restore-markers', plain: true },
  ],
  *fits(scan, hear) {
    if (hear.opener.word === 'functions.') {
      scan.back(10);
      const stripped = yield* strippedAhead(scan, hear);
      scan.at += 10;
      return stripped;
    }
    if (hear.opener.word === begin) return /^\s*[\w.:-]+\s*[<{]/.test(yield* scan.ahead(96));
    return (yield* scan.afterSpace(begin.length)) === begin;
  },
  *read(scan, hear) {
    if (hear.opener.word === 'functions.') {
      scan.back(10);
      while (yield* strippedAhead(scan, hear)) {
        const from = scan.offset;
        const name = (yield* scan.run(/[^:]/, 256)).slice(10);
        yield* scan.run(/[:\d]/, 16);
        yield* scan.space();
        const call = hear.open(name);
        yield* readArguments(scan, call, []);
        yield* dropClosers(scan, hear);
        call.close();
        hear.stands(from);
      }
      return;
    }
    let from = scan.offset;
    if (hear.opener.word === begin) {
      yield* readOne(scan, hear);
      hear.stands(from);
    }
    for (;;) {
      yield* scan.space();
      from = scan.offset;
      if (!(yield* scan.word(begin))) break;
      yield* readOne(scan, hear);
      hear.stands(from);
    }
    if (!(yield* scan.oneOf(sectionEnds)) && hear.opener.word !== begin)
      hear.mend('close-wrapper', scan.offset, scan.offset);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, kimiK2.write(example), [
      'The number behind the name counts the calls of the whole conversation, from 0.',
    ]),
  write: (call) => `${sections[0]}${begin}${kimiId(call)}${middle}${argumentsJson(call)}${end}${sectionEnds[0]}`,
  writeResult: ({ callId, name, text }) => `## Return of ${kimiId({ id: callId, name })}\n${text}`,
  fence: (tool) => ({
    trigger: sections[0] as string,
    begin: `${sections[0]}${begin}functions.${tool.name}:0${middle}`,
    end: `${end}${sectionEnds[0]}`,
  }),
};

/** The id that Kimi's template wants; kept where the client's is one already. */
const kimiId = ({ id, name }: Pick<PastCall, 'id' | 'name'>): string =>
  id.startsWith(`functions.${name}:`) && /:\d+$/.test(id) ? id : `functions.${name}:0`;
