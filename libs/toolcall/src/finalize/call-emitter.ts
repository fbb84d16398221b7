import { Fault, type Finding, type FindingClass, type FinishReason, type Range, type TurnEvent } from '@callsmith/turn';
import { CallFindings } from './call-findings.ts';
import { CallQueue, type CallQueueOptions, type Choice } from './call-queue.ts';
import { type CallObserver, type CallSource, PendingCall } from './pending-call.ts';
import { resolveName } from './resolve-name.ts';
import { isAnnouncement, TextOutput } from './text-output.ts';
import type { Unusable } from './unusable.ts';

type Meant = 'call-in-reasoning' | 'announced';

const classOf: Readonly<Record<Meant, FindingClass>> = {
  'call-in-reasoning': 'CallInReasoning',
  announced: 'AnnouncedNotCalled',
};

/** Emits one choice's text, reasoning and calls, and determines how it ended. */
export class CallEmitter {
  private readonly output: TextOutput;
  private readonly notes: CallFindings;
  private readonly calls: CallQueue;
  private requiredCallFault: Fault | undefined;
  private withheldFor: Unusable['kind'] | undefined;

  constructor(
    private readonly options: CallQueueOptions,
    private readonly choice: Choice,
    next: (event: TurnEvent) => void,
  ) {
    this.output = new TextOutput(choice.index, next);
    this.notes = new CallFindings((note) => this.note(note));
    this.calls = new CallQueue(options, choice, this.output, this.notes);
  }

  /** The fault that ends the stream, after a call was cut in the middle or a required call never came. */
  get fault(): Fault | undefined {
    return this.calls.fault ?? this.requiredCallFault;
  }

  /** Why the answer cannot be used; undefined if it can, or if it was released anyway. */
  get unusable(): Unusable | undefined {
    const kind = this.withheldFor;
    return kind === 'calls' ? { kind, calls: this.calls.unusable } : kind && { kind };
  }

  /** Neither text nor a call came. */
  get isEmpty(): boolean {
    return !this.output.hasText && this.calls.opened === 0;
  }

  /** Creates a call that is held outside the answer until it is committed. */
  createSpeculative(rawName: string, source: CallSource, observer: CallObserver): PendingCall {
    this.choice.meter.addCall();
    const { name, tool, rules } = resolveName(rawName, this.options.tools);
    const call = new PendingCall(rawName, name, tool, source, observer);
    for (const rule of rules) call.repairWhole(rule);
    return call;
  }

  /** Begins a call; calls are emitted in the order in which they are opened. */
  open(rawName: string, source: CallSource): PendingCall {
    const call = this.createSpeculative(rawName, source, this.calls);
    this.commit([call]);
    return call;
  }

  /** Adds calls from outside to the answer, as many as it may have. */
  commit(calls: readonly PendingCall[]): void {
    for (const call of calls) {
      if (this.calls.opened >= this.choice.meter.bounds.calls) return;
      if (call.source === 'text') this.output.dropLeadingWhitespace();
      this.calls.add(call);
    }
  }

  /** Closes several calls at once: the result of each is known before the first is emitted. */
  closeTogether(close: () => void): void {
    this.calls.closeTogether(close);
  }

  emitText(text: string): void {
    if (!this.calls.fault) this.output.emitText(text);
  }

  emitReasoning(text: string): void {
    if (!this.calls.fault) this.output.emitReasoning(text);
  }

  whitespaceAfterMarker(space: string): void {
    this.output.whitespaceAfterMarker(space);
  }

  /** Emits the text that was added since the last piece of input. */
  flushText(): void {
    this.output.flush();
  }

  /** Takes the text that was added since the last piece of input, for a caller that emits it. */
  takeText(): string {
    return this.output.takeText();
  }

  /** Records a note on the text at `range`: a repair if `detail` is a rule's name, else only a remark. */
  noteText(detail: string, range: Range): void {
    this.notes.ofText(detail, range);
  }

  /**
   * Emits what is left. `reason` is the upstream's, undefined if it gave none; returns the client's. `inReasoning`:
   * calls were found in closed reasoning.
   */
  finish(reason: FinishReason | undefined, inReasoning: boolean): FinishReason {
    const { calls, output } = this;
    const { withholding } = this.choice;
    // At a limit a new answer would be cut as well.
    if (reason === 'length' || reason === 'content_filter') withholding?.end();
    calls.end();
    this.notes.end();
    const meant = this.meant(reason, inReasoning);
    const unmet = calls.sentCalls === 0 && this.requiresCall(reason);
    if (withholding) {
      this.withheldFor = this.reasonToWithhold(unmet, meant);
      if (this.withheldFor) withholding.begin();
    }
    if (meant) this.note({ class: classOf[meant], stage: 'finalize' });
    if (calls.opened === 0) output.keepWhitespace();
    // An answer that ends with an error needs no text, and until something is emitted another attempt may replace it.
    if (!output.hasText && calls.sentCalls === 0 && calls.failures.length > 0 && !unmet) this.releaseFailures();
    output.end();
    if (calls.sentCalls > 0) return 'tool_calls';
    if (unmet) {
      this.note({ class: 'CallRequired', action: 'dropped', stage: 'finalize', detail: `finish_reason: ${reason}` });
      this.requiredCallFault = new Fault('tool_call_required');
    }
    return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
  }

  private reasonToWithhold(unmet: boolean, meant: Meant | undefined) {
    if (this.calls.unusable.length > 0) return 'calls';
    if (unmet) return 'no-call';
    if (this.isEmpty) return meant ?? 'empty';
    return this.options.nudgesAnnounced ? meant : undefined;
  }

  /** The sign that a call was intended in an answer without one. */
  private meant(reason: FinishReason | undefined, inReasoning: boolean): Meant | undefined {
    if (this.calls.opened > 0 || reason === 'length' || reason === 'content_filter') return undefined;
    if (this.isEmpty) return inReasoning ? 'call-in-reasoning' : undefined;
    return this.options.behindResult && isAnnouncement(this.output.beginning) ? 'announced' : undefined;
  }

  private requiresCall(reason: FinishReason | undefined): boolean {
    const { toolChoice } = this.options;
    return reason !== 'content_filter' && (toolChoice === 'required' || typeof toolChoice === 'object');
  }

  /** Nothing else is left of the answer: the text of the failed calls is emitted, equal ones once. */
  private releaseFailures(): void {
    const { failures } = this.calls;
    const texts = new Set(failures.map((call) => call.failure?.message ?? '').filter((text) => text !== ''));
    const [first] = failures;
    if (first) this.notes.ofWholeCall(first, { class: 'EmptyAnswer', action: 'released', stage: 'finalize' });
    this.notes.end();
    if (texts.size > 0) this.output.emitVerbatim([...texts].join('\n'));
  }

  private note(note: Finding): void {
    this.output.emit({ type: 'note', choice: this.choice.index, note });
  }
}
