import type { PastCall, ToolTable } from '@callsmith/turn';
import type { CallBuilder, Dialect } from '../dialect.ts';
import { parseArguments } from '../families/arguments.ts';
import { kimiTemplate } from '../families/chat-templates.ts';
import { dropClosers } from '../families/named-arguments.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { parseRepeatedCalls } from '../families/repeated-calls.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';

const sections = ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'];
const sectionEnds = ['<|tool_calls_section_end|>', '<|tool_call_section_end|>'];
const begin = '<|tool_call_begin|>';
const middle = '<|tool_call_argument_begin|>';
const end = '<|tool_call_end|>';
const closes = [end, ...sectionEnds, begin];

/** The tool name in a call's id `functions.NAME:IDX`, or in a client's form of it; `undefined`: it contains none. */
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

function* parseOneCall(scan: Scanner, builder: CallBuilder): Step<void> {
  yield* scan.space();
  const from = scan.offset;
  const id = (yield* scan.run(/[^<{]/, 256)).trim();
  if (id === '') throw new ParseFailure('not-a-call');
  yield* scan.takeText(middle);
  const named = nameFromId(id, builder.tools);
  const call = builder.open(named?.name ?? id);
  if (named?.rewritten) call.repair('read-call-id', from, from + id.length);
  if (!named) call.inferTool();
  yield* scan.space();
  if ((yield* scan.peek()) === '') throw new ParseFailure('cut');
  if (!(yield* scan.isAhead(end))) yield* parseArguments(scan, call, closes);
  yield* dropClosers(scan, builder);
  call.close();
  yield* scan.space();
  if (!(yield* scan.takeText(end))) builder.repair('close-wrapper', scan.offset, scan.offset);
}

/** "functions.NAME:0{…}": what is left when a server strips the markers. */
function* strippedAhead(scan: Scanner, builder: CallBuilder): Step<boolean> {
  return yield* scan.look(96, (ahead, all) => {
    const name = /^functions\.([\w.-]+):\d+\s*\{/.exec(ahead)?.[1];
    if (name !== undefined) return builder.tools.get(name) !== undefined;
    return !all && ('functions.'.startsWith(ahead) || /^functions\.[\w.-]*(?::\d*\s*)?$/.test(ahead)) ? unsure : false;
  });
}

/** `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:IDX<|tool_call_argument_begin|>{…}<|tool_call_end|><|tool_calls_section_end|>`; the singular section occurs too */
export const kimiK2: Dialect = {
  name: 'kimi-k2',
  openingMarkers: () => [
    ...sections.map((text) => ({ text, at: 'anywhere' as const })),
    { text: begin, at: 'anywhere', rule: 'open-wrapper' },
    { text: 'functions.', at: 'answer', rule: 'restore-markers', ambiguous: true },
  ],
  *matches(scan, builder) {
    if (builder.openingMarker.text === 'functions.') {
      scan.back(10);
      const stripped = yield* strippedAhead(scan, builder);
      scan.at += 10;
      return stripped;
    }
    if (builder.openingMarker.text === begin) return /^\s*[\w.:-]+\s*[<{]/.test(yield* scan.ahead(96));
    return (yield* scan.afterSpace(begin.length)) === begin;
  },
  *parse(scan, builder) {
    if (builder.openingMarker.text === 'functions.') {
      scan.back(10);
      while (yield* strippedAhead(scan, builder)) {
        const from = scan.offset;
        const name = (yield* scan.run(/[^:]/, 256)).slice(10);
        yield* scan.run(/[:\d]/, 16);
        yield* scan.space();
        const call = builder.open(name);
        yield* parseArguments(scan, call, []);
        yield* dropClosers(scan, builder);
        call.close();
        builder.setRange(from);
      }
      return;
    }
    yield* parseRepeatedCalls(scan, builder, begin, parseOneCall);
    if (!(yield* scan.oneOf(sectionEnds)) && builder.openingMarker.text !== begin)
      builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, kimiK2.renderCall(example), [
      'The number behind the name counts the calls of the whole conversation, from 0.',
    ]),
  renderCall: (call) => `${sections[0]}${begin}${kimiId(call)}${middle}${argumentsJson(call)}${end}${sectionEnds[0]}`,
  closingMarkers: () => [end, ...sectionEnds],
  innerMarkers: [middle],
  reasoning: [thinkBlock],
  template: kimiTemplate,
  renderResult: ({ callId, name, text }) => `## Return of ${kimiId({ id: callId, name })}\n${text}`,
  resultMarkers: [{ text: '## Return of ', at: 'line', behind: /^functions\.[\w.-]+:\d+\s/, ambiguous: true }],
  fence: (tool) => ({
    trigger: sections[0] as string,
    begin: `${sections[0]}${begin}functions.${tool.name}:0${middle}`,
    end: `${end}${sectionEnds[0]}`,
    style: 'json',
  }),
};

/** The id that Kimi's template requires; kept if the client's already is one. */
const kimiId = ({ id, name }: Pick<PastCall, 'id' | 'name'>): string =>
  id.startsWith(`functions.${name}:`) && /:\d+$/.test(id) ? id : `functions.${name}:0`;
