import type { PastCall } from '@callsmith/turn';
import type { CallBuilder, Dialect } from '../dialect.ts';
import { solarOpenTemplate } from '../families/chat-templates.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { parseRepeatedCalls } from '../families/repeated-calls.ts';
import { cutOff } from '../families/tags.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';

const section = '<|tool_calls|>';
const begin = '<|tool_call:begin|>';
const middle = '<|tool_call:name|>';
const argumentsBegin = '<|tool_call:args|>';
const end = '<|tool_call:end|>';

/** Letters and digits of a call's id, as the template writes it. */
const idOf = (id: string): string => id.replace(/[^\w-]/g, '').slice(0, 64);

const write = (call: PastCall): string =>
  `${section}${begin}${idOf(call.id)}${middle}${call.name}${argumentsBegin}${argumentsJson(call)}${end}`;

function* parseOneCall(scan: Scanner, builder: CallBuilder): Step<void> {
  yield* scan.run(/[^<\n]/, 128);
  if (!(yield* scan.takeText(middle))) throw new ParseFailure((yield* cutOff(scan, [middle])) ? 'cut' : 'not-a-call');
  const name = (yield* scan.run(/[^<\n]/, 256)).trim();
  if (!(yield* scan.takeText(argumentsBegin)))
    throw new ParseFailure((yield* cutOff(scan, [argumentsBegin])) ? 'cut' : 'not-a-call');
  yield* parseNamedArguments(scan, builder, name, [end, begin, '<|calls|>'], [end]);
}

/**
 * `<|tool_calls|><|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>`; calls repeat behind
 * the first marker. Reasoning, text and calls are separate messages: `<|think|>…<|end|><|begin|>assistant<|content|>…`.
 * From Upstage's `solar_open` parsers for vLLM and llama.cpp's for upstage/Solar-Open-100B.
 */
export const solarOpen: Dialect = {
  name: 'solar-open',
  openingMarkers: () => [
    { text: section, at: 'anywhere' },
    { text: begin, at: 'anywhere', rule: 'open-wrapper' },
  ],
  *matches(scan, builder) {
    if (builder.openingMarker.text === section) return (yield* scan.afterSpace(begin.length)) === begin;
    return /^[^<\n]*<\|tool_call:name\|>/.test(yield* scan.ahead(160));
  },
  *parse(scan, builder) {
    yield* parseRepeatedCalls(scan, builder, begin, parseOneCall);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, write(example), [
      'The first text of a call is an id of ten lower-case letters or digits.',
    ]),
  renderCall: write,
  closingMarkers: () => [end],
  innerMarkers: [middle, argumentsBegin],
  reasoning: [{ open: '<|think|>', closes: ['<|end|>'], endsBefore: [section], at: 'anywhere', elsewhere: 'line' }],
  frames: [
    { text: '<|begin|>assistant', at: 'anywhere', elsewhere: 'unmistakable' },
    { text: '<|content|>', at: 'anywhere', elsewhere: 'unmistakable' },
    { text: '<|end|>', at: 'anywhere' },
    { text: '<|flush|>', at: 'anywhere' },
    { text: '<|calls|>', at: 'anywhere' },
  ],
  template: solarOpenTemplate,
  renderResult: ({ callId, name, text }) =>
    `<|tool_response:begin|>${idOf(callId)}<|tool_response:name|>${name}<|tool_response:result|>${text}<|tool_response:end|>`,
  resultMarkers: [{ text: '<|tool_response:begin|>', at: 'anywhere' }],
  resultEnds: ['<|tool_response:end|>'],
  fence: (tool) => ({
    trigger: section,
    begin: `${section}${begin}0000000000${middle}${tool.name}${argumentsBegin}`,
    end,
    style: 'json',
  }),
};
