import {
  type CallFragment,
  type FinishReason,
  isObject,
  StringBuilder,
  type ToolTable,
  writeJson,
} from '@callsmith/turn';
import { extractArguments, isFraming } from './finalize/extract-arguments.ts';
import { toolOfArguments } from './finalize/infer-tool.ts';
import type { PendingCall } from './finalize/pending-call.ts';
import { resolveName } from './finalize/resolve-name.ts';
import { JsonParser } from './json-parser.ts';
import { parseLooseJson } from './parse-loose-json.ts';
import type { Rule } from './rules.ts';
import { Scanner } from './scanner.ts';

/** One native call whose fragments are still arriving. */
interface Slot {
  /** Its index among the upstream's calls; a call that was glued to it takes over the index. */
  readonly index: number;
  id: string;
  name: string;
  call: PendingCall | undefined;
  /** The argument text as received; dropped once the call streams. */
  raw: StringBuilder;
  /** The argument text is not only white space. */
  hasText: boolean;
  scan: Scanner;
  value: JsonParser | undefined;
  /** Text that the JSON parser has not consumed. */
  rest: string;
  /** Text that does not begin another call follows the value. */
  followedByText: boolean;
  rules: Rule[];
  closed: boolean;
}

/** How a slot ended: the stream was cut, the upstream reported complete calls, or neither is known. */
type Ending = 'cut' | 'complete' | 'open';

/** Argument text that belongs to another call than the one it arrived in. */
interface Glued {
  readonly slot: Slot;
  readonly text: string;
}

/** Longest name of a tool; the rest is dropped. */
const longestName = 1024;

/** Characters of arguments that are kept because they cannot be emitted in pieces. */
const longestHeld = 1024 * 1024;

/**
 * Assembles native fragments into calls and tolerates what servers get wrong: no index or a wrong one, an id or a name
 * on every piece or on none, several calls glued into one slot, arguments as an object.
 */
export class NativeCalls {
  private readonly slots: Slot[] = [];
  private readonly byIndex = new Map<number, Slot>();
  /** Slots whose arguments are complete; they are closed when another call begins. */
  private whole: Slot[] = [];

  constructor(
    private readonly tools: ToolTable,
    private readonly open: (name: string) => PendingCall,
  ) {}

  push(fragment: CallFragment): void {
    const slot = this.slotFor(fragment);
    if (fragment.id) slot.id = fragment.id;
    if (
      fragment.name !== undefined &&
      fragment.name !== '' &&
      slot.name !== fragment.name &&
      !slot.call &&
      slot.name.length < longestName
    ) {
      slot.name += fragment.name;
    }
    const text = argumentText(fragment.arguments);
    if (text === undefined) return;
    if (typeof fragment.arguments !== 'string') slot.rules.push('stringify-arguments');
    this.append(slot, text);
  }

  private slotFor(fragment: CallFragment): Slot {
    const current = fragment.index === undefined ? this.slots.at(-1) : this.byIndex.get(fragment.index);
    if (current && !startsAnother(current, fragment, this.tools)) return current;
    const glued = current !== undefined && fragment.index !== undefined;
    for (const one of this.whole) this.close(one);
    this.whole = [];
    const expected = this.slots.length;
    const slot = this.newSlot(fragment.index ?? expected, glued ? ['split-calls'] : []);
    if (!glued && fragment.index !== expected) slot.rules.push('renumber-calls');
    this.byIndex.set(slot.index, slot);
    return slot;
  }

  private newSlot(index: number, rules: Rule[]): Slot {
    const slot: Slot = {
      index,
      id: '',
      name: '',
      call: undefined,
      raw: new StringBuilder(),
      hasText: false,
      scan: new Scanner(),
      value: undefined,
      rest: '',
      followedByText: false,
      rules,
      closed: false,
    };
    this.slots.push(slot);
    return slot;
  }

  private append(slot: Slot, text: string): void {
    let last = slot;
    for (let part: Glued | undefined = { slot, text }; part; part = this.take(part.slot, part.text)) last = part.slot;
    if (last.raw.length > longestHeld && !last.closed) this.giveUp(last);
  }

  /** Too long a text that cannot be emitted in pieces: it is not an object, or it cannot be emitted unchecked. */
  private giveUp(slot: Slot): void {
    slot.call ??= this.open(slot.name);
    slot.closed = true;
    slot.raw.clear();
    slot.rest = '';
    const detail = `more than ${longestHeld} characters of arguments that cannot be sent in pieces`;
    slot.call.fail({
      class: 'InvalidJson',
      detail,
      message: `The model called "${slot.name}" with ${detail}.`,
    });
  }

  /** Consumes argument text; returns the part of it that belongs to another call. */
  private take(slot: Slot, text: string): Glued | undefined {
    if (slot.closed || text === '') return undefined;
    if (slot.value?.done) {
      if (!slot.call?.streaming) slot.raw.push(text);
      slot.rest += text;
      return this.splitGlued(slot, text);
    }
    if (!slot.call) {
      // the name may still arrive in pieces
      slot.raw.push(text);
      slot.hasText ||= /\S/.test(text);
      if (slot.name === '' || !slot.hasText) return undefined;
      slot.call = this.open(slot.name);
      for (const rule of slot.rules) slot.call.repairWhole(rule);
      const received = slot.raw.text();
      slot.raw.clear();
      return this.take(slot, received);
    }
    const { call } = slot;
    if (!call.streaming) slot.raw.push(text);
    if (!slot.value) {
      const from = text.search(/\S/);
      if (from < 0) return undefined;
      if (text[from] !== '{') {
        this.holdBack(slot, call);
        return undefined;
      }
      slot.value = new JsonParser(slot.scan, {
        out: (json) => {
          call.write(json);
          if (call.streaming) slot.raw.clear();
        },
        repair: (rule, start, end) => call.repair(rule, start, end),
      });
      slot.scan.base = slot.raw.length - text.length + from;
      return this.consume(slot, text.slice(from));
    }
    return this.consume(slot, slot.rest + text);
  }

  /** Arguments that are not an object are parsed as a whole, at the end. */
  private holdBack(slot: Slot, call: PendingCall): void {
    call.wholeOnly = true;
    slot.value = new JsonParser(slot.scan, { out: () => {}, repair: () => {} });
    slot.value.broken = true;
    slot.value.done = true;
  }

  private consume(slot: Slot, text: string): Glued | undefined {
    const value = slot.value as JsonParser;
    const taken = value.takeWhole(text) || value.consume(text, 0, false);
    slot.scan.base += taken;
    slot.rest = text.slice(taken);
    if (!value.done) return undefined;
    if (!value.broken) this.whole.push(slot);
    return this.splitGlued(slot, slot.rest);
  }

  /**
   * `{…}{…}`: a complete object followed by another is another call of the same name. `added`: the text received last.
   */
  private splitGlued(slot: Slot, added: string): Glued | undefined {
    if (slot.value?.broken || slot.closed || slot.followedByText) return undefined;
    const next = added.search(/[^\s}\],;]/);
    if (next < 0) return undefined;
    if (added[next] !== '{') {
      slot.followedByText = true;
      return undefined;
    }
    const text = added.slice(next);
    slot.rest = '';
    if (!slot.call?.streaming) slot.raw.takeLast(text.length);
    this.close(slot);
    const another = this.newSlot(slot.index, ['split-calls']);
    another.name = slot.name;
    if (this.byIndex.get(slot.index) === slot) this.byIndex.set(slot.index, another);
    return { slot: another, text };
  }

  /** No more fragments follow. `reason` is the upstream's, undefined if it gave none; `cut` if its stream broke. */
  end(reason: FinishReason | undefined, cut: boolean): void {
    const wasCut = cut || reason === 'length' || reason === 'content_filter';
    for (const slot of this.slots) this.close(slot, wasCut ? 'cut' : reason === 'tool_calls' ? 'complete' : 'open');
  }

  private close(slot: Slot, ending: Ending = 'open'): void {
    if (slot.closed) return;
    if (!slot.call && slot.name === '') this.openNameless(slot);
    slot.closed = true;
    if (!slot.call) this.openBare(slot);
    const { call, value } = slot;
    if (!call) return;
    if (!value) call.close();
    else if (value.broken) this.closeUnreadable(slot, call, ending);
    else if (value.done) this.closeDone(slot, call, ending);
    else this.closeUnfinished(slot, call, value, ending);
  }

  /** `{…}` and what may follow it: surplus closing brackets, a control token, a tag, a short sentence. */
  private closeDone(slot: Slot, call: PendingCall, ending: Ending): void {
    const rest = slot.rest.trim();
    const from = slot.scan.base + slot.rest.indexOf(rest);
    if (/^[}\]]*$/.test(rest)) {
      if (rest !== '') call.repair('drop-closers', from, from + rest.length);
      call.close();
    } else if (call.streaming && isFraming(rest)) {
      call.repair('extract-arguments', from, from + rest.length);
      call.close();
    } else this.closeUnreadable(slot, call, ending);
  }

  /** `{"path": "a`: the arguments object is incomplete. */
  private closeUnfinished(slot: Slot, call: PendingCall, value: JsonParser, ending: Ending): void {
    if (ending === 'complete' && value.closeAll()) {
      const end = slot.scan.base + slot.rest.length;
      call.repair('add-closers', end, end);
      call.close();
    } else if (ending === 'cut' || call.streaming) this.failCut(slot, call);
    else {
      // The model ended the call: clients answer unreadable arguments with an error that the model can use.
      call.input = slot.raw.text();
      call.brokenOff = true;
      call.close();
    }
  }

  private failCut(slot: Slot, call: PendingCall): void {
    const message = call.streaming ? '' : `${slot.name} ${slot.raw.text()}`;
    call.fail({ class: 'Truncated', detail: 'the arguments end in the middle', message });
  }

  /** A call without a name, as in some engines' errors: its arguments may fit exactly one tool. */
  private openNameless(slot: Slot): void {
    const raw = slot.raw.text();
    const text = raw.trim();
    if (text === '') return;
    const tool = toolOfArguments(text, this.tools);
    if (!tool) {
      slot.call = this.open('');
      slot.call.fail({ class: 'UnknownName', detail: 'the call has no name', message: text });
      return;
    }
    slot.name = tool.name;
    slot.rules.push('infer-tool');
    slot.raw.clear();
    this.append(slot, raw);
  }

  /** A call for which no arguments arrived. */
  private openBare(slot: Slot): void {
    if (slot.name === '') return;
    slot.call = this.open(slot.name);
    for (const rule of slot.rules) slot.call.repairWhole(rule);
  }

  /** Argument text that is not a JSON object as received. */
  private closeUnreadable(slot: Slot, call: PendingCall, ending: Ending): void {
    if (call.streaming) {
      call.fail({ class: 'InvalidJson', detail: 'the arguments are no JSON', message: '' });
      return;
    }
    const raw = slot.raw.text();
    const text = raw.trim();
    const read = extractArguments(text, call.tool) ?? parseLooseJson(text, call.tool);
    if (read) {
      for (const rule of read.rules) call.repair(rule, 0, raw.length);
      call.rewrite(read.json);
      call.close();
    } else if (ending === 'cut') {
      this.failCut(slot, call);
    } else {
      call.input = raw;
      call.close();
    }
  }
}

const isComplete = (slot: Slot): boolean => slot.value?.done === true && !slot.value.broken;

/** True if the fragment belongs to another call than the slot's. */
function startsAnother(slot: Slot, fragment: CallFragment, tools: ToolTable): boolean {
  const { id, name } = fragment;
  if (slot.closed) return Boolean(id || name);
  if (id && slot.id !== '' && id !== slot.id && (name || isComplete(slot))) return true;
  if (!name || slot.name === '') return false;
  const text = argumentText(fragment.arguments) ?? '';
  if (name === slot.name) return isComplete(slot) && text.trimStart().startsWith('{') && id !== slot.id;
  if (!slot.raw.isEmpty || slot.call) return true;
  // "get_" + "weather": the name comes in fragments
  return resolveName(slot.name, tools).tool !== undefined;
}

function argumentText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return isObject(value) || Array.isArray(value) ? writeJson(value) : String(value);
}
