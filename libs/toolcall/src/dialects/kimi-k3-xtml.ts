import type { Dialect, Hearing } from '../dialect.ts';
import { MembersOut, type SaidType } from '../families/members-out.ts';
import { cutOff, rawMembers, readRaw, readTagHead, tagsSay } from '../families/tags.ts';
import { example, lesson } from '../families/teach.ts';
import { GaveUp, type Scanner, type Step } from '../scanner.ts';

const sep = '<|sep|>';
const open = (what: string): string => `<|open|>${what}${sep}`;
const close = (what: string): string => `<|close|>${what}${sep}`;
const callOpen = '<|open|>call';
const argumentOpen = '<|open|>argument';

const said = (attributes: string): SaidType => {
  const type = /\btype\s*=\s*"?(\w+)/.exec(attributes)?.[1];
  return type === undefined ? undefined : type === 'string' ? 'text' : 'json';
};

function* readOne(scan: Scanner, hear: Hearing): Step<void> {
  const head = yield* readTagHead(scan, 'name', sep);
  if (!head) throw new GaveUp('not-a-call');
  const call = hear.open(head.name);
  scan.markUnlessMarked();
  const out = new MembersOut(call);
  for (;;) {
    yield* scan.space();
    if (yield* scan.word(close('call'))) break;
    if (yield* scan.word(argumentOpen)) {
      const argument = yield* readTagHead(scan, 'name', sep);
      if (!argument) throw new GaveUp('cut');
      yield* readRaw(scan, call, out, argument.name, said(argument.attributes), {
        close: close('argument'),
        follow: [argumentOpen, close('call'), close('tools')],
        strip: false,
      });
      continue;
    }
    const next = yield* scan.peek();
    if (next === '' && scan.cut) throw new GaveUp('cut');
    if (next !== '' && !(yield* scan.sees(close('tools'))) && !(yield* scan.sees(callOpen)))
      throw new GaveUp((yield* cutOff(scan, [argumentOpen, close('call'), close('tools')])) ? 'cut' : 'broken');
    call.mend('close-wrapper', scan.offset, scan.offset);
    break;
  }
  out.end();
  call.close();
}

/** `<|open|>tools<|sep|><|open|>call tool="NAME" index="0"<|sep|><|open|>argument key="K" type="string"<|sep|>V<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>` */
export const kimiK3Xtml: Dialect = {
  name: 'kimi-k3-xtml',
  opens: () => [
    { word: open('tools'), at: 'anywhere' },
    { word: callOpen, at: 'anywhere', rule: 'open-wrapper' },
  ],
  reasoning: [{ open: open('think'), closes: [close('think')], at: 'anywhere' }],
  frames: [open('response'), close('response')],
  *fits(scan, hear) {
    if (hear.opener.word === callOpen) return /^\s+tool\s*=/.test(yield* scan.ahead(16));
    return (yield* scan.afterSpace(callOpen.length)) === callOpen;
  },
  *read(scan, hear) {
    let from = scan.offset;
    if (hear.opener.word === callOpen) {
      yield* readOne(scan, hear);
      hear.stands(from);
    }
    for (;;) {
      yield* scan.space();
      from = scan.offset;
      if (!(yield* scan.word(callOpen))) break;
      yield* readOne(scan, hear);
      hear.stands(from);
    }
    if (!(yield* scan.word(close('tools'))) && hear.opener.word !== callOpen)
      hear.mend('close-wrapper', scan.offset, scan.offset);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, kimiK3Xtml.write(example), [
      'Write values as they are; objects and lists as JSON. The type of an argument is string, number, boolean, object or array.',
    ]),
  write: (call) => {
    const args = rawMembers(call).map(
      ({ key, raw, text }) =>
        `${argumentOpen} key="${key}" type="${typeOf(raw, text)}"${sep}${raw}${close('argument')}`,
    );
    return `${open('tools')}${callOpen} tool="${call.name}" index="0"${sep}${args.join('')}${close('call')}${close('tools')}`;
  },
  writeResult: ({ text }) => text,
  says: (call, tool) => tagsSay(call, tool, ['<|close|>', '<|open|>']),
};

function typeOf(raw: string, text: boolean): string {
  if (text) return 'string';
  if (raw[0] === '{') return 'object';
  if (raw[0] === '[') return 'array';
  return raw === 'true' || raw === 'false' ? 'boolean' : raw === 'null' ? 'null' : 'number';
}
