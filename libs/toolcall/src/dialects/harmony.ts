import type { Dialect } from '../dialect.ts';
import { readNamed } from '../families/named-arguments.ts';
import { argumentsJson, example, lesson } from '../families/teach.ts';
import { GaveUp } from '../scanner.ts';

const message = '<|message|>';
const closes = ['<|call|>', '<|end|>', '<|return|>', '<|start|>', '<|channel|>'];
const strippedHeads = [
  'assistantcommentary to=',
  'assistantanalysis to=',
  'commentary to=',
  'analysis to=',
  'to=functions.',
];

/**
 * `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`; the recipient may stand in the role (`<|start|>assistant to=…`),
 * the channel may be analysis, the content type may be missing. Stripped: `commentary to=functions.NAME json{…}`.
 */
export const harmony: Dialect = {
  name: 'harmony',
  opens: (_tools, own) => [
    { word: '<|channel|>', at: 'anywhere' },
    { word: '<|start|>assistant', at: 'anywhere' },
    ...strippedHeads.map((word) => ({
      word,
      at: own && word.startsWith('assistant') ? ('anywhere' as const) : ('answer' as const),
      rule: 'restore-markers' as const,
      plain: true,
    })),
  ],
  frames: ['<|end|>', '<|return|>', '<|constrain|>'],
  *fits(scan, hear) {
    if (hear.opener.word.startsWith('<')) {
      const ahead = yield* scan.ahead(200);
      const at = ahead.indexOf(message);
      return at >= 0 && /^[^{}\n]*$/.test(ahead.slice(0, at));
    }
    const ahead = yield* scan.ahead(120);
    const named = /^(?:functions\.)?([\w.-]+?)\s*(?:<\|constrain\|>|code|json)?\s*\{/.exec(ahead);
    return named !== null && hear.tools.get(named[1] as string) !== undefined;
  },
  *read(scan, hear) {
    if (!hear.opener.word.startsWith('<')) {
      yield* scan.word('functions.');
      const head = yield* scan.run(/[^{]/, 128);
      yield* readNamed(scan, hear, (/^[\w.-]+/.exec(head.replace(/json\s*$/, ''))?.[0] ?? '').trim(), closes, []);
      return;
    }
    const from = scan.offset;
    const header = yield* readHeader(scan);
    const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
    const channel = /(?:^|<\|channel\|>)\s*(analysis|commentary|final)/.exec(
      hear.opener.word.startsWith('<|start') ? header : `<|channel|>${header}`,
    )?.[1];
    if (recipient !== undefined && recipient !== 'all' && recipient !== 'user') {
      if (channel === 'analysis') hear.mend('tolerate-tag', from, scan.offset);
      yield* readNamed(scan, hear, recipient.replace(/^functions\./, ''), closes, []);
      yield* scan.oneOf(['<|call|>', '<|end|>', '<|return|>']);
      return;
    }
    if (channel === 'analysis') {
      return {
        open: '',
        closes: ['<|end|>', '<|return|>'],
        before: ['<|start|>', '<|channel|>', '<|call|>'],
        at: 'anywhere',
      };
    }
    return undefined;
  },
  teach: (tools, choice) => lesson(tools, choice, harmony.write(example), ['Call one tool in a message.']),
  write: (call) =>
    `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${argumentsJson(call)}<|call|>`,
  writeResult: ({ name, text }) =>
    `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${JSON.stringify(text)}<|end|>`,
  fence: (tool) => ({
    trigger: '<|channel|>commentary to=',
    begin: `<|channel|>commentary to=functions.${tool.name} <|constrain|>json<|message|>`,
    end: '<|call|>',
  }),
};

function* readHeader(scan: Parameters<Dialect['read']>[0]) {
  const ahead: string = yield* scan.ahead(220);
  const at = ahead.indexOf(message);
  if (at < 0) throw new GaveUp('not-a-call');
  scan.at += at + message.length;
  return ahead.slice(0, at);
}
