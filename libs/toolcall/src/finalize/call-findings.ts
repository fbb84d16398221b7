import type { Finding, Range } from '@callsmith/turn';
import { isRule, type Repair, rules } from '../rules.ts';
import type { PendingCall } from './pending-call.ts';

/** A note that waits until the range of its call is known. */
interface WaitingNote {
  readonly note: Finding;
  /** It applies to the whole call, not to a part of it, and so gets the call's range. */
  readonly ofWholeCall: boolean;
}

/**
 * Notes about calls, in the order in which they were made. One about a whole call carries the range of the call's text;
 * while that text is still being parsed it waits, and so do all later ones of the same call, to keep the order.
 */
export class CallFindings {
  private readonly waiting = new Map<PendingCall, WaitingNote[]>();

  constructor(private readonly emit: (note: Finding) => void) {}

  /** Records a note on the text at `range`: a repair if `detail` is a rule's name, else only a remark. */
  ofText(detail: string, range: Range): void {
    if (detail === 'released') this.emit({ class: 'InvalidJson', action: 'released', stage: 'parse', range });
    else if (isRule(detail))
      this.emit({ class: rules[detail].class, rule: detail, action: 'repaired', stage: 'parse', range });
    else this.emit({ stage: 'parse', detail, range });
  }

  /** Records a note about a part of a call, or without a range. */
  ofCall(call: PendingCall, finding: Omit<Finding, 'call'>): void {
    const note = { tool: call.rawName, ...finding, call: call.position };
    const before = this.waiting.get(call);
    if (before) before.push({ note, ofWholeCall: false });
    else this.emit(note);
  }

  /** Records a note about a call as a whole. */
  ofWholeCall(call: PendingCall, finding: Omit<Finding, 'call'>): void {
    const note = { tool: call.rawName, ...finding, call: call.position };
    const before = this.waiting.get(call);
    if (before) before.push({ note, ofWholeCall: true });
    else if (call.source === 'native' || call.rangeIsKnown) this.emit(withRange(note, call));
    else this.waiting.set(call, [{ note, ofWholeCall: true }]);
  }

  ofRepair(call: PendingCall, { rule, from, to }: Repair): void {
    const row = rules[rule];
    const note = {
      class: row.class,
      rule,
      action: 'repaired',
      stage: call.streaming ? 'stream' : 'finalize',
      ...(row.guess && { guess: true }),
    } as const;
    if (from === undefined || to === undefined) this.ofWholeCall(call, note);
    else this.ofCall(call, { ...note, range: [from, to] });
  }

  /** The range of the call's text is known. */
  rangeKnown(call: PendingCall): void {
    const notes = this.waiting.get(call);
    if (!notes) return;
    this.waiting.delete(call);
    for (const { note, ofWholeCall } of notes) this.emit(ofWholeCall ? withRange(note, call) : note);
  }

  /** No more text follows: waiting notes are emitted as they are. */
  end(): void {
    for (const call of [...this.waiting.keys()]) this.rangeKnown(call);
  }
}

const withRange = (note: Finding, { range }: PendingCall): Finding => (range ? { ...note, range } : note);
