import type { Note, Range, StrategyUsed, Tool, ToolChoice, ToolTable, TurnEvent } from '@callsmith/turn';
import { Fault, type FinishReason } from '@callsmith/turn';
import { isRule, type Repair, rules } from '../rules.ts';
import { finalizeArguments } from './finalize-arguments.ts';
import { inferTool } from './infer-tool.ts';
import { type CallObserver, type CallSource, PendingCall } from './pending-call.ts';
import { resolveName } from './resolve-name.ts';

/** What settling needs to know. */
export interface FinalizeOptions {
  readonly tools: ToolTable;
  readonly strategyUsed: StrategyUsed;
  /** Bytes of arguments up to which a call is held; `null`: until it is whole. */
  readonly holdBytes: number | null;
  readonly toolChoice: ToolChoice;
  readonly parallel: boolean;
  /** The rules of the compatibility routes: M-4, and no value is retyped (D-5). */
  readonly proxyRules: boolean;
  readonly newCallId: () => string;
}

/** The names with which Command R says that it calls no tool. */
const noCall = new Set(['directly_answer', 'directly-answer']);

/** Sends one choice's text, reasoning and calls out: pairs, numbers, holds, streams, and says how it ended. */
export class CallEmitter implements CallObserver {
  /** Set once something was half-sent: the stream has to end with it. */
  fault: Fault | undefined;
  private readonly queue: PendingCall[] = [];
  private readonly emitted = new WeakSet<PendingCall>();
  private readonly failures: PendingCall[] = [];
  /** Notes of calls whose text is still being read: the first of them is to say where the call stands. */
  private readonly notesWithoutRange = new Map<PendingCall, WaitingNote[]>();
  private opened = 0;
  private sentCalls = 0;
  private started: PendingCall | undefined;
  /** White space that is layout if a call follows, and text if text follows. */
  private whitespace = '';
  private reasoningWhitespace = '';
  private half = '';
  /** Text that was said and goes out as one piece. */
  private unsent = '';
  private argumentHalf = '';
  private textSent = false;
  /** A call was cut while it streamed: nothing more may go out. */
  private halfSent = false;
  private reasoningSent = false;

  constructor(
    private readonly options: FinalizeOptions,
    private readonly choice: number,
    private readonly next: (event: TurnEvent) => void,
  ) {}

  /** Makes a call that waits outside the answer until it is adopted. */
  createSpeculative(said: string, birth: CallSource, watch: CallObserver): PendingCall {
    const { name, tool, rules: used } = resolveName(said, this.options.tools);
    const call = new PendingCall(said, name, tool, birth, watch);
    for (const rule of used) call.repairWhole(rule);
    return call;
  }

  /** Begins a call; calls go out in the order in which they are opened. */
  open(said: string, birth: CallSource): PendingCall {
    const call = this.createSpeculative(said, birth, this);
    this.enqueue(call);
    return call;
  }

  /** Takes calls that waited outside into the answer. */
  commit(calls: readonly PendingCall[]): void {
    for (const call of calls) this.enqueue(call);
  }

  private enqueue(call: PendingCall): void {
    call.ordinal = this.opened++;
    if (call.source === 'text') this.dropTrailingWhitespace();
    this.queue.push(call);
    this.progressed(call);
  }

  /** Says text. White space at its end waits, as it is layout if a call follows. */
  emitText(text: string): void {
    if (this.halfSent) return;
    const last = text.charCodeAt(text.length - 1);
    if (this.whitespace === '' && last > 32 && last < 127) {
      this.queueText(text);
      return;
    }
    const end = text.trimEnd().length;
    if (end === 0) {
      this.whitespace += text;
      return;
    }
    this.queueText(this.whitespace + text.slice(0, end));
    this.whitespace = text.slice(end);
  }

  /** The white space at the end of what was said is layout, unless more text follows. */
  dropTrailingWhitespace(): void {
    if (!this.textSent) this.whitespace = '';
  }

  /** White space behind a call or a marker: layout, unless it is all that parts two texts. */
  whitespaceAfterMarker(space: string): void {
    if (this.textSent && this.whitespace === '') this.whitespace = space;
  }

  /** Sends on what was said since the last piece of input. */
  flushText(): void {
    const text = this.takeText();
    if (text !== '') this.next({ type: 'text-delta', choice: this.choice, text });
  }

  /** What was said since the last piece of input, for one who sends it on. */
  takeText(): string {
    const text = this.unsent;
    this.unsent = '';
    return text;
  }

  private emit(event: TurnEvent): void {
    this.flushText();
    this.next(event);
  }

  emitReasoning(text: string): void {
    if (this.halfSent) return;
    const whole = this.reasoningSent ? text : text.trimStart();
    const end = whole.trimEnd().length;
    if (end === 0) {
      if (this.reasoningSent) this.reasoningWhitespace += whole;
      return;
    }
    this.reasoningSent = true;
    this.emit({ type: 'reasoning-delta', choice: this.choice, text: this.reasoningWhitespace + whole.slice(0, end) });
    this.reasoningWhitespace = whole.slice(end);
  }

  note(note: Note): void {
    this.emit({ type: 'note', choice: this.choice, note });
  }

  /** Something noticed about the text at `range`: a repair where it has a rule's name, else only a remark. */
  noteText(detail: string, range: Range): void {
    if (detail === 'released') this.note({ class: 'InvalidJson', action: 'released', stage: 'read', range });
    else if (isRule(detail))
      this.note({ class: rules[detail].class, rule: detail, action: 'repaired', stage: 'read', range });
    else this.note({ stage: 'read', detail, range });
  }

  progressed(call: PendingCall): void {
    const { holdBytes } = this.options;
    if (call.state === 'open' && !call.streaming) {
      const mayStream = holdBytes !== null && !call.wholeOnly && !call.failure && this.passesOn(call);
      if (!mayStream || call.bytes <= holdBytes) return;
      call.streaming = true;
    }
    if (call === this.queue[0]) this.pump();
  }

  sent(call: PendingCall, json: string): boolean {
    if (this.started !== call || !call.parts.isEmpty || this.argumentHalf !== '' || this.halfSent) return false;
    const last = json.charCodeAt(json.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) return false;
    this.emit({ type: 'tool-delta', choice: this.choice, index: this.sentCalls - 1, json });
    return true;
  }

  repaired(call: PendingCall, mend: Repair): void {
    // Where one call is all that is wanted, the upstream is stopped behind it (D-19): what then is missing was not waited for.
    const left = !this.options.parallel && this.sentCalls > 0;
    if (this.emitted.has(call) && !left) this.noteRepair(call, mend);
  }

  rangeKnown(call: PendingCall): void {
    const notes = this.notesWithoutRange.get(call);
    if (!notes) return;
    this.notesWithoutRange.delete(call);
    for (const { note, ofWhole } of notes) this.note(ofWhole ? standing(note, call) : note);
  }

  /** True if the call is one that may go out as it is. */
  private passesOn(call: PendingCall): boolean {
    if (call.tool === undefined && call.source === 'text') return false;
    return this.forbidden(call) === undefined;
  }

  private forbidden(call: PendingCall): string | undefined {
    const { toolChoice, parallel } = this.options;
    if (toolChoice === 'none') return 'tool_choice is none';
    if (typeof toolChoice === 'object' && call.name !== toolChoice.name)
      return `tool_choice names "${toolChoice.name}"`;
    if (!parallel && (this.sentCalls > 0 || this.queue[0] !== call)) return 'parallel_tool_calls is false';
    return undefined;
  }

  private pump(): void {
    for (let head = this.queue[0]; head && !this.halfSent; head = this.queue[0]) {
      if (head.streaming) this.stream(head);
      if (head.state === 'open') return;
      if (head.streaming) this.endStream(head);
      else if (head.state === 'failed') this.drop(head);
      else this.finalize(head);
      this.emitted.add(head);
      this.queue.shift();
    }
  }

  private stream(call: PendingCall): void {
    if (this.started !== call) {
      this.started = call;
      this.start(call);
    }
    const { parts } = call;
    if (parts.isEmpty) return;
    const json = this.argumentHalf + parts.text();
    parts.clear();
    this.argumentHalf = halfPair(json);
    const whole = this.argumentHalf === '' ? json : json.slice(0, -1);
    if (whole !== '') this.emit({ type: 'tool-delta', choice: this.choice, index: this.sentCalls - 1, json: whole });
  }

  private endStream(call: PendingCall): void {
    const index = this.sentCalls - 1;
    const whole = call.state === 'closed';
    if (this.argumentHalf !== '') {
      this.emit({ type: 'tool-delta', choice: this.choice, index, json: this.argumentHalf });
      this.argumentHalf = '';
    }
    for (const mend of call.repairs) this.noteRepair(call, mend);
    this.emit({ type: 'tool-end', choice: this.choice, index, whole });
    if (whole) return;
    this.halfSent = true;
    const failure = call.failure ?? { class: 'Truncated' as const, detail: '', message: '' };
    this.noteWhole(call, {
      class: failure.class,
      action: 'dropped',
      stage: 'stream',
      tool: call.name,
      detail: failure.detail,
    });
    this.fault ??= new Fault(
      'tool_call_truncated',
      failure.class === 'Truncated'
        ? `The response was cut off in the middle of a call to "${call.name}", part of which had already been sent. Raise max_tokens, or the model's holdBytes to have calls checked before they go out.`
        : `The arguments of a call of "${call.name}" turned out to be no JSON after part of them had already been sent. Raise the model's holdBytes to have calls checked before they go out.`,
    );
  }

  /** A held call that has ended. */
  private finalize(call: PendingCall): void {
    const forbidden = this.forbidden(call);
    if (forbidden !== undefined) {
      this.noteWhole(call, {
        class: 'CallForbidden',
        action: 'dropped',
        stage: 'settle',
        tool: call.name,
        detail: forbidden,
      });
      // A turn in which nothing else is said would be empty, and clients ask for it again and again.
      call.failure = {
        class: 'CallForbidden',
        detail: forbidden,
        message: `The model called "${call.name}", but ${forbidden}.`,
      };
      this.failures.push(call);
      return;
    }
    if (call.infer) inferTool(call, this.options.tools);
    if (call.tool === undefined && noCall.has(call.rawName)) return;
    if (call.tool === undefined && call.source === 'text') {
      call.failure = {
        class: 'UnknownName',
        detail: `"${call.name}" is not on offer`,
        message: notOnOffer(call.name, this.options.tools),
      };
      this.drop(call);
      return;
    }
    const settled = finalizeArguments(call, this.options.proxyRules);
    if (settled.failure) {
      call.failure = settled.failure;
      this.drop(call);
      return;
    }
    const index = this.start(call);
    for (const mend of call.repairs) this.noteRepair(call, mend);
    if (settled.wrapped) {
      this.noteWhole(call, { class: 'InvalidJson', rule: 'wrap-input', action: 'wrapped', stage: 'settle' });
    }
    if (settled.remark !== undefined) this.noteCall(call, { stage: 'settle', detail: settled.remark });
    this.emit({ type: 'tool-delta', choice: this.choice, index, json: settled.json });
    this.emit({ type: 'tool-end', choice: this.choice, index, whole: true });
  }

  private start(call: PendingCall): number {
    const index = this.sentCalls++;
    this.emit({ type: 'tool-start', choice: this.choice, index, id: this.options.newCallId(), name: call.name });
    if (call.source === 'text' && this.options.strategyUsed === 'native') {
      this.noteWhole(call, { class: 'LeakedCall', action: 'rescued', stage: 'read' });
    }
    if (call.tool === undefined)
      this.noteCall(call, { class: 'UnknownName', stage: 'settle', detail: `"${call.name}" is not on offer` });
    return index;
  }

  private drop(call: PendingCall): void {
    const failure = call.failure;
    if (!failure) return;
    this.failures.push(call);
    this.noteWhole(call, { class: failure.class, action: 'dropped', stage: 'settle', detail: failure.detail });
  }

  /** A note about a part of a call, or about no place in it. */
  private noteCall(call: PendingCall, of: Omit<Note, 'call'>): void {
    const note = { tool: call.rawName, ...of, call: call.ordinal };
    const before = this.notesWithoutRange.get(call);
    if (before) before.push({ note, ofWhole: false });
    else this.note(note);
  }

  /** A note about a call as a whole. It says where the call's text stands, and so waits for its end. */
  private noteWhole(call: PendingCall, of: Omit<Note, 'call'>): void {
    const note = { tool: call.rawName, ...of, call: call.ordinal };
    const before = this.notesWithoutRange.get(call);
    if (before) before.push({ note, ofWhole: true });
    else if (call.source === 'native' || call.rangeIsKnown) this.note(standing(note, call));
    else this.notesWithoutRange.set(call, [{ note, ofWhole: true }]);
  }

  private noteRepair(call: PendingCall, { rule, from, to }: Repair): void {
    const row = rules[rule];
    const note = {
      class: row.class,
      rule,
      action: 'repaired',
      stage: call.streaming ? 'stream' : 'settle',
      ...(row.guess && { guess: true }),
    } as const;
    if (from === undefined || to === undefined) this.noteWhole(call, note);
    else this.noteCall(call, { ...note, range: [from, to] });
  }

  private queueText(text: string): void {
    const whole = this.half + text;
    this.half = halfPair(whole);
    const sendable = this.half === '' ? whole : whole.slice(0, -1);
    this.textSent = true;
    this.unsent += sendable;
  }

  /** Says what is left to say. `reason` is the upstream's, undefined where it gave none; answers with ours (D-8). */
  finish(reason: FinishReason | undefined): FinishReason {
    for (const call of this.queue) {
      if (call.state === 'open')
        call.fail({ class: 'Truncated', detail: 'the answer ended inside the call', message: '' });
    }
    this.pump();
    for (const call of this.notesWithoutRange.keys()) this.rangeKnown(call);
    if (this.opened === 0 && this.whitespace !== '') this.queueText(this.takeSpace());
    if (!this.textSent && this.sentCalls === 0 && this.failures.length > 0) this.releaseFailures();
    if (this.half !== '') {
      this.unsent += this.half;
      this.half = '';
    }
    this.flushText();
    if (this.sentCalls === 0 && this.missesCall(reason)) {
      this.note({ class: 'CallRequired', action: 'dropped', stage: 'settle' });
      this.fault ??= new Fault('tool_call_required');
    }
    if (this.sentCalls > 0) return 'tool_calls';
    return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
  }

  private missesCall(reason: FinishReason | undefined): boolean {
    const { toolChoice } = this.options;
    return reason !== 'content_filter' && (toolChoice === 'required' || typeof toolChoice === 'object');
  }

  private releaseFailures(): void {
    const texts = this.failures.map((call) => call.failure?.message ?? '').filter((text) => text !== '');
    const first = this.failures[0] as PendingCall;
    this.noteWhole(first, { class: 'EmptyTurn', action: 'released', stage: 'settle' });
    if (texts.length > 0) this.queueText(texts.join('\n'));
  }

  private takeSpace(): string {
    const space = this.whitespace;
    this.whitespace = '';
    return space;
  }
}

interface WaitingNote {
  readonly note: Note;
  /** It is about the whole call, not about a part of it. */
  readonly ofWhole: boolean;
}

const standing = (note: Note, { range }: PendingCall): Note => (range ? { ...note, range } : note);

/** The first half of a surrogate pair at the end of `text`, which waits for the other half. */
function halfPair(text: string): string {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? text.slice(-1) : '';
}

/** What the client reads where a model called a tool that is not on offer and said nothing else. */
export function notOnOffer(name: string, tools: ToolTable): string {
  const names = tools.list.slice(0, 50).map((tool: Tool) => tool.name);
  const rest = tools.list.length > 50 ? ` and ${tools.list.length - 50} more` : '';
  return `The model called "${name}", which is not on offer. Tools on offer: ${names.join(', ')}${rest}.`;
}
