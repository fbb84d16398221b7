import { isObject, type PastCall } from '@callsmith/turn';
import type { CallBuilder, ChatTemplate, Dialect, OpeningMarker, ResultFormat } from '../dialect.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import { ArgumentsWriter } from './arguments-writer.ts';
import { beginsAt, followedBy, type RawEnd } from './raw-value.ts';
import { thinkBlock } from './reasoning.ts';
import { charBehindBlanks } from './rules-out.ts';
import { cutOff, parseRawValue, rawMembers, tagsCanExpress } from './tags.ts';
import { example, toolPrompt } from './tool-prompt.ts';

/** The tags of one call in this family. */
export interface ArgKeyTags {
  readonly keyOpen: string;
  readonly keyClose: string;
  readonly valueOpen: string;
  readonly valueClose: string;
  readonly open: string;
  readonly end: string;
}

/** The tags by what stands before their names: `<arg_key>`, `<longcat_arg_key>`. */
export const argKeyTags = (prefix: string): ArgKeyTags => ({
  keyOpen: `<${prefix}arg_key>`,
  keyClose: `</${prefix}arg_key>`,
  valueOpen: `<${prefix}arg_value>`,
  valueClose: `</${prefix}arg_value>`,
  open: `<${prefix}tool_call>`,
  end: `</${prefix}tool_call>`,
});

/** The tags round a key and its value. */
export const innerTags = ({ keyOpen, keyClose, valueOpen, valueClose }: ArgKeyTags): readonly string[] => [
  keyOpen,
  keyClose,
  valueOpen,
  valueClose,
];

const usual = argKeyTags('');
const { keyOpen, keyClose, valueOpen, valueClose, end } = usual;

/** A dialect of keys and values as neighbouring tags (GLM and its heirs). */
export interface ArgKeys {
  readonly name: string;
  /** Words round several calls. */
  readonly block?: readonly [open: string, close: string];
  /** Stands behind the name. */
  readonly separator?: string;
  /** Between the parts, where the dialect writes newlines. */
  readonly newline: '' | '\n';
  readonly result: ResultFormat;
  readonly template?: ChatTemplate;
}

/** Makes a dialect of `<tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`. */
export function argKeys(of: ArgKeys): Dialect {
  const { newline, separator = '' } = of;
  const write = (call: PastCall): string => {
    const args = rawMembers(call).map(
      ({ key, raw }) => `${keyOpen}${key}${keyClose}${newline}${valueOpen}${raw}${valueClose}${newline}`,
    );
    const body = `<tool_call>${call.name}${separator}${newline}${args.join('')}${end}`;
    return of.block ? `${of.block[0]}${body}${of.block[1]}` : body;
  };
  const opens: OpeningMarker[] = [{ text: '<tool_call>', at: 'anywhere' }];
  if (of.block) opens.unshift({ text: of.block[0], at: 'anywhere' });
  return {
    name: of.name,
    openingMarkers: () => opens,
    closingMarkers: () => [...(of.block ? [of.block[1]] : []), end],
    innerMarkers: innerTags(usual),
    reasoning: [thinkBlock],
    ...(of.template && { template: of.template }),
    rulesOut(text, at, openingMarker) {
      const char = openingMarker.text === of.block?.[0] ? undefined : charBehindBlanks(text, at);
      return char !== undefined && !/[\w.:-]/.test(char);
    },
    *matches(scan, builder) {
      if (builder.openingMarker.text === of.block?.[0]) return (yield* scan.afterSpace(11)) === '<tool_call>';
      const ahead = yield* scan.ahead(96);
      const head = /^\s*([\w.:-]+)\s*(?:<tool_sep>\s*)?(<\/?[a-z_]+>)?/.exec(ahead);
      return head?.[2] !== undefined && [keyOpen, end].includes(head[2]);
    },
    *parse(scan, builder) {
      if (builder.openingMarker.text !== of.block?.[0]) return yield* parseArgKeys(scan, builder, usual);
      for (;;) {
        yield* scan.space();
        const from = scan.offset;
        if (!(yield* scan.takeText('<tool_call>'))) break;
        yield* parseArgKeys(scan, builder, usual);
        builder.setRange(from);
      }
      if (!(yield* scan.takeText(of.block[1]))) builder.repair('close-wrapper', scan.offset, scan.offset);
    },
    renderToolPrompt: (tools, choice) =>
      toolPrompt(tools, choice, write(example), [
        'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
        'For several calls repeat the whole block.',
      ]),
    renderCall: write,
    ...of.result,
    canExpress: (call, tool) => tagsCanExpress(call, tool, [valueClose, keyOpen, end]),
  };
}

/** Reads one call from the name on. */
export function* parseArgKeys(scan: Scanner, builder: CallBuilder, tags: ArgKeyTags): Step<void> {
  const { keyOpen, valueClose, open, end } = tags;
  const name = (yield* scan.run(/[^<\n]/, 256)).trim();
  if (name === '') throw new ParseFailure('not-a-call');
  const call = builder.open(name);
  scan.markUnlessMarked();
  const out = new ArgumentsWriter(call);
  yield* scan.space();
  yield* scan.takeText('<tool_sep>');
  for (;;) {
    yield* scan.space();
    const from = scan.offset;
    if (yield* scan.takeText(end)) break;
    if (yield* scan.takeText(valueClose)) {
      call.repair('drop-stray-close', from, scan.offset);
      continue;
    }
    if (yield* scan.takeText(keyOpen)) {
      yield* readMember(scan, call, out, tags);
      continue;
    }
    const next = yield* scan.peek();
    if (next === '' && scan.cut) throw new ParseFailure('cut');
    if (next !== '' && !(yield* scan.isAhead(open))) {
      throw new ParseFailure((yield* cutOff(scan, [end, keyOpen, valueClose])) ? 'cut' : 'broken');
    }
    call.repair('close-wrapper', from, from);
    break;
  }
  out.end();
  call.close();
}

function* readMember(scan: Scanner, call: PendingCall, out: ArgumentsWriter, tags: ArgKeyTags): Step<void> {
  const { keyOpen, keyClose, valueOpen, valueClose, end } = tags;
  const key = (yield* scan.run(/[^<]/, 256)).trim();
  if (!(yield* scan.takeText(keyClose))) throw new ParseFailure((yield* cutOff(scan, [keyClose])) ? 'cut' : 'broken');
  const near = yield* scan.afterSpace(valueOpen.length);
  if (near === valueOpen) {
    yield* scan.space();
    yield* scan.takeText(valueOpen);
  } else {
    if (near.length < valueOpen.length && valueOpen.startsWith(near)) throw new ParseFailure('cut');
    call.repair('open-value', scan.offset, scan.offset);
  }
  const rawEnd: RawEnd = {
    close: valueClose,
    follow: [keyOpen, end],
    stripsNewlines: false,
    impliedEnd: (text, at, ended) => implied(text, at, ended, call, out, key, tags),
  };
  yield* parseRawValue(scan, call, out, key, undefined, rawEnd);
}

/** A value without its closing tag ends before the next key that the tool has, or before the call's end if nothing but a call follows. */
function implied(
  text: string,
  at: number,
  ended: boolean,
  call: PendingCall,
  out: ArgumentsWriter,
  current: string,
  { keyOpen, keyClose, open, end }: ArgKeyTags,
): boolean | undefined {
  const closes = beginsAt(text, at, end, ended);
  if (closes === undefined) return undefined;
  if (closes) {
    return followedBy(text, at + end.length, [open, '</tool_calls>'], ended, true);
  }
  const opens = beginsAt(text, at, keyOpen, ended);
  if (!opens) return opens;
  const rest = text.slice(at + keyOpen.length, at + keyOpen.length + 96);
  const close = rest.indexOf(keyClose);
  if (close < 0) return !ended && rest.length < 96 ? undefined : false;
  const key = rest.slice(0, close).trim();
  const properties = call.tool?.parameters?.properties;
  return key !== current && isObject(properties) && Object.hasOwn(properties, key) && !out.has(key);
}
