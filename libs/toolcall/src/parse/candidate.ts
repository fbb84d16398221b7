import type { Range, ToolTable } from '@callsmith/turn';
import type { CallBuilder, Dialect, OpeningMarker } from '../dialect.ts';
import { isOffered } from '../families/json-calls.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import type { Rule } from '../rules.ts';
import { ParseFailure, type Scanner } from '../scanner.ts';

/** Text that may be a call, while one dialect parses it. */
export class Candidate implements CallBuilder {
  readonly calls: PendingCall[] = [];
  private earlyRepairs: { rule: Rule; from: number; to: number }[] = [];
  /** The range of the last call, if its grammar reported it. */
  private lastRange: Range | undefined;
  /** End of the call before the last one. */
  private behindLast: number | undefined;

  constructor(
    readonly dialect: Dialect,
    readonly openingMarker: OpeningMarker,
    readonly own: boolean,
    readonly foreign: boolean,
    readonly tools: ToolTable,
    private readonly opened: (name: string) => PendingCall,
    /** Start of the opening marker. */
    readonly from: number,
    private readonly scan: Scanner,
  ) {}

  open(name: string): PendingCall {
    if (this.openingMarker.onlyWithOfferedName && !this.own && this.calls.length === 0 && !isOffered(this, name))
      throw new ParseFailure('not-a-call');
    if (this.lastRange) {
      this.placeLast(this.lastRange[1]);
      this.behindLast = this.lastRange[1];
    }
    this.lastRange = undefined;
    const call = this.opened(name);
    call.foreign = this.foreign;
    const behind = this.from + this.openingMarker.text.length;
    if (behind > this.from) call.behindMarker = behind;
    if (this.foreign && behind > this.from) call.repair('foreign-dialect', this.from, behind);
    else if (this.foreign) call.repairWhole('foreign-dialect');
    if (this.openingMarker.rule) call.repair(this.openingMarker.rule, this.from, behind);
    for (const { rule, from, to } of this.earlyRepairs) call.repair(rule, from, to);
    this.earlyRepairs = [];
    this.calls.push(call);
    return call;
  }

  repair(rule: Rule, from: number, to: number): void {
    const call = this.calls.at(-1);
    if (call) call.repair(rule, from, to);
    else this.earlyRepairs.push({ rule, from, to });
  }

  setRange(from: number): void {
    const call = this.calls.at(-1);
    if (call && !this.lastRange) this.lastRange = [from, this.scan.endWithoutBlanks];
  }

  /** The candidate was parsed to its end: the last call extends to the end of the closing marker. */
  end(): void {
    const to = this.scan.endWithoutBlanks;
    this.placeLast(to);
    for (const call of this.calls) call.setRange(this.from, to);
  }

  /**
   * The first call starts at the opening marker, others where the grammar reported it; without a report, the range is
   * the whole block.
   */
  private placeLast(to: number): void {
    const call = this.calls.at(-1);
    call?.setRange(call === this.calls[0] ? this.from : (this.lastRange?.[0] ?? this.behindLast ?? this.from), to);
  }

  /** The call that is still being parsed, if any. */
  get current(): PendingCall | undefined {
    const call = this.calls.at(-1);
    return call?.state === 'open' ? call : undefined;
  }
}
