import type { Dialect } from '../dialect.ts';
import { harmonyTemplate } from '../families/chat-templates.ts';
import { parseNamedArguments } from '../families/named-arguments.ts';
import { argumentsJson, example, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure } from '../scanner.ts';

const message = '<|message|>';
const closes = ['<|call|>', '<|end|>', '<|return|>', '<|start|>', '<|channel|>'];
const strippedHeads = [
  'assistantcommentary to=',
  'assistantanalysis to=',
  'commentary to=',
  'analysis to=',
  'to=functions.',
];
/** After a result the template writes `<|start|>assistant`; the model goes on with ` to=functions.NAME<|channel|>…`. */
const continuation = 'to=functions.';
/** Muse Glimmer's messages have similar headers. */
const museMessage = /^\s*to=(?:self<\|message\|>|[\w.-]+<\|message\|>\s*<atem:)/;
/** What follows `continuation` in a header. */
const framed = /^[\w.-]+\s*<\|[^{}\n]*<\|message\|>/;

/**
 * `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`; the
 * recipient may be in the role (`<|start|>assistant to=…`), the channel analysis, the content type missing. Stripped:
 * `commentary to=functions.NAME json{…}`.
 */
export const harmony: Dialect = {
  name: 'harmony',
  openingMarkers: (_tools, own) => [
    { text: '<|channel|>', at: 'anywhere' },
    { text: '<|start|>assistant', at: 'anywhere' },
    ...strippedHeads.map((text) => ({
      text,
      at: own && text.startsWith('assistant') ? ('anywhere' as const) : ('answer' as const),
      rule: 'restore-markers' as const,
      ambiguous: true,
    })),
  ],
  frames: ['<|end|>', '<|return|>', '<|constrain|>'].map((text) => ({
    text,
    at: 'anywhere',
    elsewhere: 'unmistakable',
  })),
  template: harmonyTemplate,
  *matches(scan, builder) {
    if (builder.openingMarker.text.startsWith('<')) {
      const ahead = yield* scan.ahead(200);
      const at = ahead.indexOf(message);
      return at >= 0 && /^[^{}\n]*$/.test(ahead.slice(0, at)) && !museMessage.test(ahead);
    }
    const ahead = yield* scan.ahead(120);
    if (builder.openingMarker.text === continuation && framed.test(ahead)) return true;
    const named = /^(?:functions\.)?([\w.-]+?)\s*(?:<\|constrain\|>|code|json)?\s*\{/.exec(ahead);
    return named !== null && builder.tools.get(named[1] as string) !== undefined;
  },
  *parse(scan, builder) {
    const continues = builder.openingMarker.text === continuation && framed.test(yield* scan.ahead(120));
    if (!continues && !builder.openingMarker.text.startsWith('<')) {
      yield* scan.takeText('functions.');
      const head = yield* scan.run(/[^{]/, 128);
      yield* parseNamedArguments(
        scan,
        builder,
        (/^[\w.-]+/.exec(head.replace(/json\s*$/, ''))?.[0] ?? '').trim(),
        closes,
        [],
      );
      return;
    }
    const from = scan.offset;
    const header = (continues ? continuation : '') + (yield* parseHeader(scan));
    const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
    const channel = /(?:^|<\|channel\|>)\s*(analysis|commentary|final)/.exec(
      builder.openingMarker.text !== '<|channel|>' ? header : `<|channel|>${header}`,
    )?.[1];
    if (recipient !== undefined && recipient !== 'all' && recipient !== 'user') {
      if (channel === 'analysis') builder.repair('tolerate-tag', from, scan.offset);
      yield* parseNamedArguments(scan, builder, recipient.replace(/^functions\./, ''), closes, []);
      yield* scan.oneOf(['<|call|>', '<|end|>', '<|return|>']);
      return;
    }
    if (channel === 'analysis') {
      return {
        open: '',
        closes: ['<|end|>', '<|return|>'],
        endsBefore: ['<|start|>', '<|channel|>', '<|call|>'],
        at: 'anywhere',
      };
    }
    return 'frame';
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, harmony.renderCall(example), ['Call one tool in a message.']),
  renderCall: (call) =>
    `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${argumentsJson(call)}<|call|>`,
  renderResult: ({ name, text }) =>
    `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${JSON.stringify(text)}<|end|>`,
  resultMarkers: [{ text: '<|start|>functions', at: 'anywhere' }],
  fence: (tool) => ({
    trigger: '<|channel|>commentary to=',
    begin: `<|channel|>commentary to=functions.${tool.name} <|constrain|>json<|message|>`,
    end: '<|call|>',
    style: 'json',
  }),
};

function* parseHeader(scan: Parameters<Dialect['parse']>[0]) {
  const ahead: string = yield* scan.ahead(220);
  const at = ahead.indexOf(message);
  if (at < 0) throw new ParseFailure('not-a-call');
  scan.at += at + message.length;
  return ahead.slice(0, at);
}
