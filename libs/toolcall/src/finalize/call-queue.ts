import { type BaseStrategy, Fault, type ToolChoice, type ToolTable } from '@callsmith/turn';
import type { AnswerMeter } from '../answer-bounds.ts';
import { longestWhole } from '../parse-whole.ts';
import type { Repair } from '../rules.ts';
import type { CallFindings } from './call-findings.ts';
import { type FinalizedArguments, finalizeArguments } from './finalize-arguments.ts';
import { inferTool } from './infer-tool.ts';
import { notOnOffer } from './not-on-offer.ts';
import type { CallFailure, CallObserver, PendingCall } from './pending-call.ts';
import { beginsWithInput, mayBeProseAlone } from './prose-alone.ts';
import { trailingHighSurrogate } from './surrogates.ts';
import type { TextOutput } from './text-output.ts';
import { requiredMismatch, type UnusableCall, unshownMismatch, type Withholding } from './unusable.ts';
import { type ArgumentsVerdict, validateArguments } from './validate-arguments.ts';

/** The options that decide which calls are emitted, and when. */
export interface CallQueueOptions {
  readonly tools: ToolTable;
  readonly strategyUsed: BaseStrategy;
  /** UTF-8 bytes of arguments up to which a call is held; `null`: as long as it can be checked as a whole. */
  readonly holdBytes: number | null;
  readonly toolChoice: ToolChoice;
  /** False: at most one call in the answer. */
  readonly parallel: boolean;
  /** The rules of the compatibility routes: calls without arguments are dropped, and no value is converted. */
  readonly proxyRules?: boolean;
  /** The request ends with a tool's result: a call that is announced but not made is noted. */
  readonly behindResult?: boolean;
  /** Such an answer may be requested again. */
  readonly nudgesAnnounced?: boolean;
  /** Names of tools whose schemas the model did not get: their calls are held to their end and checked in full. */
  readonly unshown?: ReadonlySet<string> | undefined;
}

/** One of the `n` answers of a response. */
export interface Choice {
  readonly index: number;
  readonly newCallId: () => string;
  /** Counts the response's calls. */
  readonly meter: AnswerMeter;
  /** Undefined: the answer is emitted as it is, whatever happens to its calls. */
  readonly withholding: Withholding | undefined;
}

/**
 * Least number of bytes of a native call that are held: a call that the model abandons at once and starts anew then
 * breaks no stream.
 */
const fewestHeld = 32;

/** The names with which Command R declares that it calls no tool. */
const noCall = new Set(['directly_answer', 'directly-answer']);

/**
 * Emits one choice's calls in the order in which the model began them. A call is held until it is complete, or until it
 * is longer than `holdBytes` or than can be checked: from then on it streams as it is written, once all calls before it
 * were emitted.
 */
export class CallQueue implements CallObserver {
  /** Set once a call was cut after a part of it was emitted: nothing more may follow, and the stream ends with it. */
  fault: Fault | undefined;
  /** Calls that were emitted, completely or in part. */
  sentCalls = 0;
  /** Calls that were begun, including dropped ones. */
  opened = 0;
  /** Dropped calls, whose text is emitted if nothing else is left of the answer. */
  readonly failures: PendingCall[] = [];
  /** Calls that cannot be used, collected until one can. */
  readonly unusable: UnusableCall[] = [];
  private readonly queue: PendingCall[] = [];
  /**
   * By tool name: the position up to which all waiting calls are of other tools or known to have no usable arguments.
   */
  private readonly searchedUpTo = new Map<string, number>();
  private readonly done = new WeakSet<PendingCall>();
  private readonly finalized = new WeakMap<PendingCall, FinalizedArguments>();
  /** The tools of which a call with usable arguments was emitted. */
  private readonly sentTools = new Set<string>();
  /** The call that is being streamed. */
  private streamed: PendingCall | undefined;
  private highSurrogate = '';
  private ended = false;
  private closing = false;
  /** UTF-8 bytes of arguments up to which a call is held. */
  private readonly mostHeld: number;

  constructor(
    private readonly options: CallQueueOptions,
    private readonly choice: Choice,
    private readonly output: TextOutput,
    private readonly notes: CallFindings,
  ) {
    this.mostHeld = Math.min(options.holdBytes ?? longestWhole, longestWhole);
  }

  add(call: PendingCall): void {
    call.observeBy(this);
    call.position = this.opened++;
    this.queue.push(call);
    this.progressed(call);
  }

  /** Closes several calls at once: the result of each is known before the first is emitted. */
  closeTogether(close: () => void): void {
    this.closing = true;
    close();
    this.closing = false;
    this.sendReady();
  }

  /** The answer is over: calls that are still open were cut, and all waiting calls are decided. */
  end(): void {
    this.ended = true;
    this.closeTogether(() => {
      for (const call of this.queue) {
        if (call.state === 'open')
          call.fail({ class: 'Truncated', detail: 'the answer ended inside the call', message: '' });
      }
    });
  }

  progressed(call: PendingCall): void {
    if (call.state === 'open' && !call.streaming) {
      const mayStream = !call.wholeOnly && !call.failure && this.maySend(call);
      if (!mayStream || call.bytes <= this.mostHeld || (call.source === 'native' && !this.isBegun(call))) return;
      call.streaming = true;
    }
    if (call === this.queue[0]) this.sendReady();
    else if (call.state === 'closed' && this.queue[0]?.state === 'closed') this.sendReady();
  }

  sent(call: PendingCall, json: string): boolean {
    if (this.streamed !== call || !call.parts.isEmpty || this.highSurrogate !== '' || this.fault) return false;
    if (trailingHighSurrogate(json) !== '') return false;
    this.emitArguments(call, json);
    return true;
  }

  repaired(call: PendingCall, repair: Repair): void {
    // If only one call is allowed, the upstream is stopped after it: what is missing then was simply not awaited.
    const stopped = !this.options.parallel && this.sentCalls > 0;
    if (this.done.has(call) && !stopped) this.notes.ofRepair(call, repair);
  }

  rangeKnown(call: PendingCall): void {
    this.notes.rangeKnown(call);
  }

  /** True once enough of a native call has arrived to be sure of it. What may be prose is held to its end. */
  private isBegun(call: PendingCall): boolean {
    if (call.bytes <= fewestHeld) return false;
    call.wholeOnly = !this.options.proxyRules && beginsWithInput(call.parts.text(), call.tool);
    return !call.wholeOnly;
  }

  private maySend(call: PendingCall): boolean {
    // The name is known before the arguments: a call that is not on offer may still be requested again.
    if (call.tool === undefined && (call.source === 'text' || this.choice.withholding)) return false;
    if (this.isUnshown(call)) return false;
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

  private sendReady(): void {
    if (this.closing) return;
    for (let head = this.queue[0]; head && !this.fault; head = this.queue[0]) {
      // A call of which nothing was emitted yet can still be dropped without a trace.
      const sending = head.streaming && (this.streamed === head || head.state !== 'failed');
      if (sending) this.stream(head);
      if (head.state === 'open' || this.waitsForSibling(head)) return;
      if (sending) this.endStreamed(head);
      else if (head.state === 'failed') this.drop(head);
      else this.finalize(head);
      this.done.add(head);
      this.queue.shift();
    }
  }

  private stream(call: PendingCall): void {
    if (this.streamed !== call) {
      this.choice.withholding?.end();
      this.streamed = call;
      this.start(call);
    }
    const { parts } = call;
    if (parts.isEmpty) return;
    const json = this.highSurrogate + parts.text();
    parts.clear();
    this.highSurrogate = trailingHighSurrogate(json);
    const sendable = this.highSurrogate === '' ? json : json.slice(0, -1);
    if (sendable !== '') this.emitArguments(call, sendable);
  }

  private endStreamed(call: PendingCall): void {
    const whole = call.state === 'closed';
    if (this.highSurrogate !== '') {
      this.emitArguments(call, this.highSurrogate);
      this.highSurrogate = '';
    }
    for (const repair of call.repairs) this.notes.ofRepair(call, repair);
    this.output.emit({ type: 'tool-end', choice: this.choice.index, index: this.sentCalls - 1, whole });
    if (!whole) {
      this.failStreamed(call, call.failure ?? { class: 'Truncated', detail: '', message: '' });
      return;
    }
    this.sentTools.add(call.name);
    const schema = call.tool?.parameters;
    if (schema) this.noteVerdict(call, validateArguments(call.sentArguments.text(), schema), 'stream');
    call.sentArguments.clear();
  }

  private failStreamed(call: PendingCall, { class: reason, detail }: CallFailure): void {
    this.notes.ofWholeCall(call, { class: reason, action: 'dropped', stage: 'stream', tool: call.name, detail });
    this.fault = new Fault(
      'tool_call_truncated',
      reason === 'Truncated'
        ? `The response was cut off in the middle of a call to "${call.name}", part of which had already been sent. Raise max_tokens, or the model's holdBytes to have calls checked before they go out.`
        : `The arguments of a call of "${call.name}" turned out to be no JSON after part of them had already been sent. Raise the model's holdBytes to have calls checked before they go out.`,
    );
  }

  /** Decides on a held call that has ended, and emits it. */
  private finalize(call: PendingCall): void {
    const failure = this.refusal(call);
    if (failure) {
      call.failure = failure;
      this.drop(call);
      return;
    }
    if (call.tool === undefined && noCall.has(call.rawName)) return;
    const finalized = this.finalizedArguments(call);
    const { json, wrapped, missing, verdict, failure: unusable } = finalized;
    if (unusable) {
      call.failure = unusable;
      this.drop(call);
      return;
    }
    if (this.choice.withholding) this.weigh(call, finalized);
    const index = this.start(call);
    for (const repair of call.repairs) this.notes.ofRepair(call, repair);
    if (wrapped) {
      this.notes.ofWholeCall(call, { class: 'InvalidJson', rule: 'wrap-input', action: 'wrapped', stage: 'finalize' });
    } else if (!this.isAbandonedOrProse(call)) this.sentTools.add(call.name);
    if (missing)
      this.notes.ofWholeCall(call, {
        class: 'MissingArguments',
        stage: 'finalize',
        detail: 'the call came without arguments',
      });
    if (verdict) this.noteVerdict(call, verdict, 'finalize');
    this.output.emit({ type: 'tool-delta', choice: this.choice.index, index, json });
    this.output.emit({ type: 'tool-end', choice: this.choice.index, index, whole: true });
  }

  /** Withholds the answer from an unusable call on if no earlier call was usable; releases it if this one is usable. */
  private weigh(call: PendingCall, finalized: FinalizedArguments): void {
    const flaw = flawOf(call, finalized, this.isUnshown(call));
    if (flaw) this.withhold(call, flaw);
    else this.choice.withholding?.end();
  }

  private withhold(call: PendingCall, flaw: Pick<UnusableCall, 'class' | 'arguments' | 'raw' | 'mismatch'>): void {
    const { rawName: name, tool, source } = call;
    this.choice.withholding?.begin();
    const unshown = this.isUnshown(call) && { unshown: true as const };
    this.unusable.push({ name, tool, source, closed: call.state === 'closed', ...flaw, ...unshown });
  }

  private isUnshown({ tool }: PendingCall): boolean {
    const { unshown } = this.options;
    const { withholding } = this.choice;
    return withholding !== undefined && tool !== undefined && unshown?.has(tool.name) === true;
  }

  /** Why a call must not be emitted, whatever its arguments. */
  private refusal(call: PendingCall): CallFailure | undefined {
    const forbidden = this.forbidden(call);
    if (forbidden !== undefined)
      return {
        class: 'CallForbidden',
        detail: forbidden,
        // Without this text the answer would be empty, and clients would request it again and again.
        message: `The model called "${call.name}", but ${forbidden}.`,
      };
    if (this.isLeftOut(call)) {
      const message = call.input ?? call.parts.text();
      return { class: 'InvalidJson', detail: 'no readable arguments beside a call of the same tool', message };
    }
    if (call.tool !== undefined || call.source === 'native' || noCall.has(call.rawName)) return undefined;
    return {
      class: 'UnknownName',
      detail: `"${call.name}" is not on offer`,
      message: notOnOffer(call.name, this.options.tools),
    };
  }

  private finalizedArguments(call: PendingCall): FinalizedArguments {
    let finalized = this.finalized.get(call);
    if (!finalized) {
      if (call.infer) inferTool(call, this.options.tools);
      finalized = finalizeArguments(call, this.options.proxyRules ?? false);
      this.finalized.set(call, finalized);
    }
    return finalized;
  }

  /** True for an abandoned call, or prose in place of arguments: `I will look.`, `{"input": "I will look."}`. */
  private isAbandonedOrProse(call: PendingCall): boolean {
    if (call.streaming) return false;
    // Cached, as each call is compared with all others.
    call.abandonedOrProse ??= this.computeAbandonedOrProse(call);
    return call.abandonedOrProse;
  }

  private computeAbandonedOrProse(call: PendingCall): boolean {
    const { wrapped, json } = this.finalizedArguments(call);
    if (wrapped) return call.brokenOff || !/^\s*[{[]/.test(call.input ?? call.parts.text());
    return !this.options.proxyRules && mayBeProseAlone(json, call);
  }

  /** A call without usable arguments is dropped beside a call of the same tool that has them. */
  private isLeftOut(call: PendingCall): boolean {
    return this.isAbandonedOrProse(call) && (this.sentTools.has(call.name) || this.hasBetterSiblingInQueue(call.name));
  }

  /** True if a waiting call of this name has usable arguments. Those known to have none are not checked again. */
  private hasBetterSiblingInQueue(name: string): boolean {
    const { queue, searchedUpTo } = this;
    let isKnown = true;
    const from = (searchedUpTo.get(name) ?? 0) - (queue[0]?.position ?? 0);
    for (let place = Math.max(0, from); place < queue.length; place++) {
      const other = queue[place] as PendingCall;
      if (other.name === name && other.state === 'closed' && !this.isAbandonedOrProse(other)) return true;
      isKnown &&= other.state !== 'open' && !other.infer;
      if (isKnown) searchedUpTo.set(name, other.position + 1);
    }
    return false;
  }

  /** A call without usable arguments waits until a usable call of the same tool has come, or none can come any more. */
  private waitsForSibling(call: PendingCall): boolean {
    return call.state === 'closed' && !this.ended && this.isAbandonedOrProse(call) && !this.isLeftOut(call);
  }

  private start(call: PendingCall): number {
    const index = this.sentCalls++;
    const { strategyUsed } = this.options;
    this.output.emit({
      type: 'tool-start',
      choice: this.choice.index,
      index,
      id: this.choice.newCallId(),
      name: call.name,
    });
    if (call.source === 'text' && strategyUsed === 'native')
      this.notes.ofWholeCall(call, { class: 'LeakedCall', action: 'rescued', stage: 'parse' });
    if (call.unmarked) this.notes.ofCall(call, { stage: 'parse', detail: 'unmarked-call' });
    if (call.tool === undefined)
      this.notes.ofCall(call, { class: 'UnknownName', stage: 'finalize', detail: `"${call.name}" is not on offer` });
    return index;
  }

  private emitArguments(call: PendingCall, json: string): void {
    if (call.tool?.parameters) call.keepSent(json, longestWhole);
    this.output.emit({ type: 'tool-delta', choice: this.choice.index, index: this.sentCalls - 1, json });
  }

  private drop(call: PendingCall): void {
    const { failure } = call;
    if (!failure) return;
    // A new answer would be cut again.
    if (failure.class === 'Truncated') this.choice.withholding?.end();
    else if (failure.class !== 'CallForbidden')
      this.withhold(call, { class: failure.class, ...argumentsOf(call, failure) });
    this.failures.push(call);
    const tool = failure.class === 'CallForbidden' ? call.name : call.rawName;
    this.notes.ofWholeCall(call, {
      class: failure.class,
      action: 'dropped',
      stage: 'finalize',
      tool,
      detail: failure.detail,
    });
  }

  /** Notes where emitted arguments do not satisfy their tool's schema. */
  private noteVerdict(call: PendingCall, verdict: ArgumentsVerdict, stage: 'finalize' | 'stream'): void {
    if (verdict === 'valid') return;
    if (verdict === 'unchecked') {
      this.notes.ofCall(call, { stage, detail: 'unchecked' });
      return;
    }
    const detail = `${verdict.path}: ${verdict.keyword} (${verdict.reason})`;
    this.notes.ofCall(call, { class: 'SchemaMismatch', stage, detail });
  }
}

/** Why a call that would be emitted is unusable; undefined: it is usable. */
function flawOf(
  call: PendingCall,
  { json, wrapped, missing, verdict }: FinalizedArguments,
  unshown: boolean,
): Pick<UnusableCall, 'class' | 'arguments' | 'raw' | 'mismatch'> | undefined {
  if (!wrapped && !missing && !unshown && call.tool !== undefined && typeof verdict !== 'object') return undefined;
  const written = call.parts.text();
  const raw = call.input ?? written;
  if (wrapped) return { class: 'InvalidJson', arguments: undefined, raw };
  const readable = { arguments: written.trimStart().startsWith('{') ? written : json, raw };
  if (missing) return { class: 'MissingArguments', ...readable };
  if (call.tool === undefined) return { class: 'UnknownName', ...readable };
  const schema = call.tool.parameters;
  if (schema === undefined || (typeof verdict !== 'object' && !unshown)) return undefined;
  const mismatch = unshown ? unshownMismatch(json, schema) : requiredMismatch(json, schema);
  return mismatch && { class: 'SchemaMismatch', ...readable, mismatch };
}

/** The available arguments of a call that was dropped. */
function argumentsOf(call: PendingCall, { message }: CallFailure): Pick<UnusableCall, 'arguments' | 'raw'> {
  const written = call.parts.text();
  if (call.state !== 'closed') return { arguments: undefined, raw: message };
  return { arguments: written.trimStart().startsWith('{') ? written : undefined, raw: call.input ?? written };
}
