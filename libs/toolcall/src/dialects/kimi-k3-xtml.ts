import type { CallBuilder, Dialect } from '../dialect.ts';
import { ArgumentsWriter, type DeclaredType } from '../families/arguments-writer.ts';
import { kimiTemplate } from '../families/chat-templates.ts';
import { parseRawValue } from '../families/raw-member.ts';
import { parseRepeatedCalls } from '../families/repeated-calls.ts';
import { toolResponse } from '../families/result-format.ts';
import { cutOff, parseTagHead, rawMembers, tagsCanExpress } from '../families/tags.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';

const sep = '<|sep|>';
const open = (what: string): string => `<|open|>${what}${sep}`;
const close = (what: string): string => `<|close|>${what}${sep}`;
const callOpen = '<|open|>call';
const argumentOpen = '<|open|>argument';

const declaredType = (attributes: string): DeclaredType => {
  const type = /\btype\s*=\s*"?(\w+)/.exec(attributes)?.[1];
  return type === undefined ? undefined : type === 'string' ? 'text' : 'json';
};

function* parseOneCall(scan: Scanner, builder: CallBuilder): Step<void> {
  const head = yield* parseTagHead(scan, 'name', sep);
  if (!head) throw new ParseFailure('not-a-call');
  const call = builder.open(head.name);
  scan.markUnlessMarked();
  const out = new ArgumentsWriter(call);
  for (;;) {
    yield* scan.space();
    if (yield* scan.takeText(close('call'))) break;
    if (yield* scan.takeText(argumentOpen)) {
      const argument = yield* parseTagHead(scan, 'name', sep);
      if (!argument) throw new ParseFailure('cut');
      yield* parseRawValue(scan, call, out, argument.name, declaredType(argument.attributes), {
        close: close('argument'),
        follow: [argumentOpen, close('call'), close('tools')],
        stripsNewlines: false,
      });
      continue;
    }
    const next = yield* scan.peek();
    if (next === '' && scan.cut) throw new ParseFailure('cut');
    if (next !== '' && !(yield* scan.isAhead(close('tools'))) && !(yield* scan.isAhead(callOpen)))
      throw new ParseFailure((yield* cutOff(scan, [argumentOpen, close('call'), close('tools')])) ? 'cut' : 'broken');
    call.repair('close-wrapper', scan.offset, scan.offset);
    break;
  }
  out.end();
  call.close();
}

/** `<|open|>tools<|sep|><|open|>call tool="NAME" index="0"<|sep|><|open|>argument key="K" type="string"<|sep|>V<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>` */
export const kimiK3Xtml: Dialect = {
  name: 'kimi-k3-xtml',
  openingMarkers: () => [
    { text: open('tools'), at: 'anywhere' },
    { text: callOpen, at: 'anywhere', rule: 'open-wrapper' },
  ],
  reasoning: [{ open: open('think'), closes: [close('think')], at: 'anywhere', elsewhere: 'anywhere' }],
  frames: [open('response'), close('response')].map((text) => ({ text, at: 'anywhere', elsewhere: 'unmistakable' })),
  *matches(scan, builder) {
    if (builder.openingMarker.text === callOpen) return /^\s+tool\s*=/.test(yield* scan.ahead(16));
    return (yield* scan.afterSpace(callOpen.length)) === callOpen;
  },
  *parse(scan, builder) {
    yield* parseRepeatedCalls(scan, builder, callOpen, parseOneCall);
    if (!(yield* scan.takeText(close('tools'))) && builder.openingMarker.text !== callOpen)
      builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, kimiK3Xtml.renderCall(example), [
      'Write values as they are; objects and lists as JSON. The type of an argument is string, number, boolean, object or array.',
    ]),
  renderCall: (call) => {
    const args = rawMembers(call).map(
      ({ key, raw, text }) =>
        `${argumentOpen} key="${key}" type="${typeOf(raw, text)}"${sep}${raw}${close('argument')}`,
    );
    return `${open('tools')}${callOpen} tool="${call.name}" index="0"${sep}${args.join('')}${close('call')}${close('tools')}`;
  },
  closingMarkers: () => [close('argument'), close('call'), close('tools')],
  template: kimiTemplate,
  ...toolResponse,
  canExpress: (call, tool) => tagsCanExpress(call, tool, ['<|close|>', '<|open|>']),
  fence: ({ name }) => ({
    trigger: open('tools'),
    begin: `${open('tools')}${callOpen} tool="${name}" index="0"${sep}`,
    end: `${close('call')}${close('tools')}`,
    style: 'kimi_k3_xml',
  }),
};

function typeOf(raw: string, text: boolean): string {
  if (text) return 'string';
  if (raw[0] === '{') return 'object';
  if (raw[0] === '[') return 'array';
  return raw === 'true' || raw === 'false' ? 'boolean' : raw === 'null' ? 'null' : 'number';
}
