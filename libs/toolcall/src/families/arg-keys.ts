import type { PastCall, ToolTable } from '@callsmith/turn';
import type {
  CallBuilder,
  ChatTemplate,
  Dialect,
  Fence,
  OpeningMarker,
  ReasoningBlock,
  ResultFormat,
} from '../dialect.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { isParameter } from '../finalize/tool-parameters.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { ArgumentsWriter, type DeclaredType } from './arguments-writer.ts';
import { needsNoArguments, parseClosingMarker, parseJsonCalls } from './json-calls.ts';
import { otherCloses, takeOtherCloser } from './other-closes.ts';
import { parseRawValue } from './raw-member.ts';
import { beginsAt, followedBy, type RawEnd } from './raw-value.ts';
import { thinkBlock } from './reasoning.ts';
import { nextVisibleChar } from './rules-out.ts';
import { cutOff, rawMembers, tagsCanExpress, takeHalfCloser } from './tags.ts';
import { example, several, toolPrompt } from './tool-prompt.ts';
import { turnEndAhead, turnEndsAt } from './turn-tokens.ts';
import { parseWrappedCalls, wrappedCallAhead } from './wrapped-calls.ts';

/** The tags of one call in this family. */
export interface ArgKeyTags {
  readonly keyOpen: string;
  readonly keyClose: string;
  /** Tags around the value's declared type, which may come between key and value. */
  readonly type?: readonly [open: string, close: string];
  /** '' if the key's closing tag also begins the value. */
  readonly valueOpen: string;
  readonly valueClose: string;
  readonly open: string;
  readonly end: string;
}

/** The tags with a prefix before their names: `<arg_key>`, `<longcat_arg_key>`. */
export const argKeyTags = (prefix: string): ArgKeyTags => ({
  keyOpen: `<${prefix}arg_key>`,
  keyClose: `</${prefix}arg_key>`,
  valueOpen: `<${prefix}arg_value>`,
  valueClose: `</${prefix}arg_value>`,
  open: `<${prefix}tool_call>`,
  end: `</${prefix}tool_call>`,
});

/** The tags around a key and its value. */
export const innerTags = ({
  keyOpen,
  keyClose,
  type = ['', ''],
  valueOpen,
  valueClose,
}: ArgKeyTags): readonly string[] => [keyOpen, keyClose, ...type, valueOpen, valueClose].filter((tag) => tag !== '');

/** A dialect of keys and values as sibling tags (GLM and its derivatives). */
export interface ArgKeys {
  readonly name: string;
  readonly tags?: ArgKeyTags;
  /** Markers around several calls. */
  readonly block?: readonly [open: string, close: string];
  /** A call may also be the JSON of its name and arguments. */
  readonly json?: true;
  /** Separator after the name. */
  readonly separator?: string;
  /** Between the parts, if the dialect writes newlines. */
  readonly newline: '' | '\n';
  readonly result: ResultFormat;
  readonly reasoning?: readonly ReasoningBlock[];
  readonly template?: ChatTemplate;
}

/** Makes a dialect of `<tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`. */
export function argKeys(of: ArgKeys): Dialect {
  const tags = of.tags ?? argKeyTags('');
  const { keyOpen, valueClose, open, end } = tags;
  const [blockOpen, blockClose] = of.block ?? ['', ''];
  const write = (call: PastCall): string => writeCall(call, of, tags);
  const opens: OpeningMarker[] = [{ text: open, at: 'anywhere' }];
  if (of.block) opens.unshift({ text: blockOpen, at: 'anywhere' });
  const isBlock = (marker: OpeningMarker): boolean => of.block !== undefined && marker.text === blockOpen;
  return {
    name: of.name,
    openingMarkers: () => opens,
    ...(of.tags === undefined && of.block === undefined && { openingMarkersByName: openersByName }),
    closingMarkers: () => (of.block ? [blockClose, end] : [end]),
    innerMarkers: innerTags(tags),
    reasoning: of.reasoning ?? [thinkBlock],
    ...(of.template && { template: of.template }),
    rulesOut(text, at, openingMarker) {
      const char = openingMarker.text === open ? nextVisibleChar(text, at) : undefined;
      return char !== undefined && !(of.json ? /[\w.:{<[-]/ : /[\w.:<[-]/).test(char);
    },
    *matches(scan, builder) {
      if (isBlock(builder.openingMarker)) return (yield* scan.afterSpace(open.length)) === open;
      if (isName(builder.openingMarker)) return yield* tagAhead(scan, [keyOpen, end]);
      return yield* callAhead(scan, builder, of, tags);
    },
    *parse(scan, builder) {
      if (isName(builder.openingMarker)) scan.back(builder.openingMarker.text.length);
      if (isBlock(builder.openingMarker)) yield* parseBlock(scan, builder, of, tags);
      else yield* parseOne(scan, builder, of, tags);
    },
    renderToolPrompt: (tools, shape) =>
      toolPrompt(tools, shape, write(example), [
        'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
        several('For several calls repeat the whole block.'),
      ]),
    renderCall: write,
    ...of.result,
    canExpress: (call, tool) => tagsCanExpress(call, tool, [valueClose, keyOpen, end]),
    ...((of.json || keyOpen === '<arg_key>') && { fence: ({ name }) => fenceOf(name, of, tags) }),
  };
}

/** A call's block, inside the markers of several calls if there are any. */
const around = ({ block, newline }: ArgKeys, body: string): string =>
  block ? [block[0], body, block[1]].join(newline) : body;

function writeCall(call: PastCall, of: ArgKeys, tags: ArgKeyTags): string {
  const { newline, separator = '' } = of;
  const { keyOpen, keyClose, valueOpen, valueClose, open, end } = tags;
  const between = valueOpen === '' ? '' : newline;
  const args = rawMembers(call).map(
    ({ key, raw }) => `${keyOpen}${key}${keyClose}${between}${valueOpen}${raw}${valueClose}${newline}`,
  );
  return around(of, `${open}${call.name}${separator}${newline}${args.join('')}${end}`);
}

/** The constraint for an engine: the JSON of the arguments if the dialect accepts that, else its own tags. */
function fenceOf(name: string, of: ArgKeys, { open, end: close }: ArgKeyTags): Fence {
  const { newline, separator = '' } = of;
  const [before = '', behind = ''] = around(of, `${open}\0${close}`).split('\0');
  const trigger = of.block ? of.block[0] : open;
  if (!of.json) return { trigger, begin: `${before}${name}${separator}${newline}`, end: behind, style: 'glm_xml' };
  const begin = `${before}{"name": ${JSON.stringify(name)}, "arguments": `;
  return { trigger, begin, end: `}${behind}`, style: 'json' };
}

/** True if a name and the tag that must follow it come next, or the call in another form. */
function* callAhead(scan: Scanner, builder: CallBuilder, of: ArgKeys, { keyOpen, end }: ArgKeyTags): Step<boolean> {
  const ahead = yield* scan.ahead(96);
  if (of.json && /^\s*\{/.test(ahead)) return true;
  const behind = ahead.slice(/^\s*[\w.:-]+(?:\(\s*\))?\s*(?:<tool_sep>\s*)?/.exec(ahead)?.[0].length ?? ahead.length);
  if (behind.startsWith(keyOpen) || behind.startsWith(end)) return true;
  // At the end of the answer such a call lacks only its closing marker.
  const isLast = behind === '' ? /^\s*[\w.:-]+\s*$/.test(ahead) : turnEndsAt(behind, 0, true, true);
  if (isLast && ahead.length < 96) return needsNoArguments(builder, ahead.slice(0, -behind.length || undefined).trim());
  return (yield* wrappedCallAhead(scan, builder)) !== undefined;
}

/** Parses the calls of a block from after its opening marker, and its closing one. */
function* parseBlock(scan: Scanner, builder: CallBuilder, of: ArgKeys, tags: ArgKeyTags): Step<void> {
  for (;;) {
    yield* scan.space();
    const from = scan.offset;
    if (!(yield* scan.takeText(tags.open))) break;
    yield* parseOne(scan, builder, of, tags);
    builder.setRange(from);
  }
  if (!(yield* scan.takeText(of.block?.[1] ?? ''))) builder.repair('close-wrapper', scan.offset, scan.offset);
}

/** Parses one call from after its opening tag, in whichever form it has. */
function* parseOne(scan: Scanner, builder: CallBuilder, of: ArgKeys, tags: ArgKeyTags): Step<void> {
  const { end } = tags;
  const wrapped = isName(builder.openingMarker) ? undefined : yield* wrappedCallAhead(scan, builder);
  if (wrapped) return yield* parseWrappedCalls(scan, builder, wrapped, end);
  if ((yield* scan.afterSpace(1)) !== '{') return yield* parseArgKeys(scan, builder, tags, of.block?.[1]);
  yield* parseJsonCalls(scan, builder, { nameKey: 'name', argumentsKey: 'arguments', closingMarkers: [end] });
  yield* parseClosingMarker(scan, builder, [end]);
}

/** True if one of the tags follows white space; waits only while one still may. */
const tagAhead = (scan: Scanner, tags: readonly string[]): Step<boolean> =>
  scan.look(96, (ahead, all) => {
    const behind = ahead.trimStart();
    if (tags.some((tag) => behind.startsWith(tag))) return true;
    return !all && tags.some((tag) => tag.startsWith(behind)) ? unsure : false;
  });

/** `NAME⏎<arg_key>`: the opening marker is missing. */
const openersByName = ({ list }: ToolTable): readonly OpeningMarker[] =>
  list.map(({ name }) => ({ text: name, at: 'line', rule: 'open-wrapper' }));

const isName = (marker: OpeningMarker): boolean => marker.rule === 'open-wrapper';

/** Parses one call from its name on. */
export function* parseArgKeys(scan: Scanner, builder: CallBuilder, tags: ArgKeyTags, blockClose = ''): Step<void> {
  const { keyOpen, valueClose, open, end } = tags;
  yield* scan.space();
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
      yield* readMember(scan, call, out, tags, blockClose);
      continue;
    }
    if (yield* takeHalfCloser(scan, [end])) {
      call.repair('close-wrapper', from, scan.offset);
      break;
    }
    const other = yield* takeOtherCloser(scan, call.tool);
    if (other) call.repair('tolerate-tag', from, scan.offset);
    if (other === 'call') break;
    if (other) continue;
    const next = yield* scan.peek();
    if (next === '' && scan.cut) throw new ParseFailure('cut');
    if (next !== '' && !(yield* scan.isAhead(open)) && !(yield* turnEndAhead(scan))) {
      throw new ParseFailure((yield* cutOff(scan, [end, keyOpen, valueClose])) ? 'cut' : 'broken');
    }
    call.repair('close-wrapper', from, from);
    break;
  }
  out.end();
  call.close();
}

function* readMember(
  scan: Scanner,
  call: PendingCall,
  out: ArgumentsWriter,
  tags: ArgKeyTags,
  blockClose: string,
): Step<void> {
  const { keyOpen, keyClose, valueOpen, valueClose, open, end } = tags;
  const from = scan.offset;
  const key = (yield* scan.run(/[^<]/, 256)).trim();
  if (valueOpen !== '' && /^[\w.-]+$/.test(key) && (yield* scan.isAhead(valueOpen))) {
    call.repair('tolerate-tag', from, scan.offset);
  } else if (!(yield* scan.takeText(keyClose)))
    throw new ParseFailure((yield* cutOff(scan, [keyClose])) ? 'cut' : 'broken');
  const declared = tags.type && (yield* readType(scan, tags.type));
  const near = yield* scan.afterSpace(valueOpen.length);
  const isOpened = near === valueOpen;
  if (isOpened) {
    if (valueOpen !== '') yield* scan.space();
    yield* scan.takeText(valueOpen);
  } else {
    if (near.length < valueOpen.length && valueOpen.startsWith(near)) throw new ParseFailure('cut');
    call.repair('open-value', scan.offset, scan.offset);
  }
  const rawEnd: RawEnd = {
    close: valueClose,
    follow: [keyOpen, end, open],
    ...(valueClose !== '' && { otherCloses: otherCloses(call.tool, key, valueClose, [keyOpen, end, open], false) }),
    // Between a key and a value without its opening tag, newlines only separate.
    stripsNewlines: !isOpened,
    impliedEnd: (text, at, ended) => implied(text, at, ended, call, out, key, tags, blockClose),
  };
  yield* parseRawValue(scan, call, out, key, declared, rawEnd);
}

/** `<TYPE>string</TYPE>`, if it is here: the type that the model declares for the value. */
function* readType(scan: Scanner, [open, close]: readonly [string, string]): Step<DeclaredType> {
  if ((yield* scan.afterSpace(open.length)) !== open) return undefined;
  yield* scan.space();
  yield* scan.takeText(open);
  const type = (yield* scan.run(/[^<]/, 128)).trim();
  if (!(yield* scan.takeText(close))) throw new ParseFailure((yield* cutOff(scan, [close])) ? 'cut' : 'broken');
  return type === 'any' ? undefined : type === 'string' ? 'text' : 'json';
}

/**
 * A value without its closing tag ends before the next parameter of the tool, or before the call's end if only a call
 * follows.
 */
function implied(
  text: string,
  at: number,
  ended: boolean,
  call: PendingCall,
  out: ArgumentsWriter,
  current: string,
  { keyOpen, keyClose, open, end }: ArgKeyTags,
  blockClose: string,
): boolean | undefined {
  const closes = beginsAt(text, at, end, ended);
  if (closes === undefined) return undefined;
  if (closes) {
    return followedBy(text, at + end.length, blockClose === '' ? [open] : [open, blockClose], ended, true);
  }
  const opens = beginsAt(text, at, keyOpen, ended);
  if (!opens) return opens;
  const rest = text.slice(at + keyOpen.length, at + keyOpen.length + 96);
  const close = rest.indexOf(keyClose);
  if (close < 0) return !ended && rest.length < 96 ? undefined : false;
  const key = rest.slice(0, close).trim();
  return key !== current && isParameter(call.tool, key) && !out.has(key);
}
