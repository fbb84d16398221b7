import type { Finding, Range } from '@callsmith/turn';
import { isRule, type Repair, rules } from '../rules.ts';
import type { PendingCall } from './pending-call.ts';

/** A note that waits until it is known where its call stands. */
interface WaitingNote {
  readonly note: Finding;
  /** It is about the whole call, not about a part of it, and so takes over the call's range. */
  readonly ofWholeCall: boolean;
}

/**
 * Notes about calls, in the order in which they were made. One about a whole call tells where the call's text stands; while that text is still
 * being read it waits, and with it all later ones of the same call.
 */
export class CallFindings {
  private readonly waiting = new Map<PendingCall, WaitingNote[]>();

  constructor(private readonly emit: (note: Finding) => void) {}

  /** Something noticed about the text at `range`: a repair where `detail` is a rule's name, else only a remark. */
  ofText(detail: string, range: Range): void {
    if (detail === 'released') this.emit({ class: 'InvalidJson', action: 'released', stage: 'parse', range });
    else if (isRule(detail))
      this.emit({ class: rules[detail].class, rule: detail, action: 'repaired', stage: 'parse', range });
    else this.emit({ stage: 'parse', detail, range });
  }

  /** A note about a part of a call, or about no place in it. */
  ofCall(call: PendingCall, finding: Omit<Finding, 'call'>): void {
    const note = { tool: call.rawName, ...finding, call: call.position };
    const before = this.waiting.get(call);
    if (before) before.push({ note, ofWholeCall: false });
    else this.emit(note);
  }

  /** A note about a call as a whole. */
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

  /** It is known where the call's text stands. */
  rangeKnown(call: PendingCall): void {
    const notes = this.waiting.get(call);
    if (!notes) return;
    this.waiting.delete(call);
    for (const { note, ofWholeCall } of notes) this.emit(ofWholeCall ? withRange(note, call) : note);
  }

  /** No more text comes: what waits goes out as it is. */
  end(): void {
    for (const call of [...this.waiting.keys()]) this.rangeKnown(call);
  }
}

const withRange = (note: Finding, { range }: PendingCall): Finding => (range ? { ...note, range } : note);
