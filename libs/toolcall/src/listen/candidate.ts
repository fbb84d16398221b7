import type { Range, ToolTable } from '@callsmith/turn';
import type { Dialect, Hearing, Opener } from '../dialect.ts';
import type { Rule } from '../rules.ts';
import type { Scanner } from '../scanner.ts';
import type { HeardCall } from '../settle/heard-call.ts';

/** What may be a call, while one dialect reads it. */
export class Candidate implements Hearing {
  readonly calls: HeardCall[] = [];
  private early: { rule: Rule; from: number; to: number }[] = [];
  /** Where the last call stands, if its grammar said so. */
  private stood: Range | undefined;

  constructor(
    readonly dialect: Dialect,
    readonly opener: Opener,
    readonly own: boolean,
    readonly foreign: boolean,
    readonly tools: ToolTable,
    private readonly opened: (name: string) => HeardCall,
    /** Where the opener begins. */
    readonly from: number,
    private readonly scan: Scanner,
  ) {}

  open(name: string): HeardCall {
    if (this.stood) this.placeLast(this.stood[1]);
    this.stood = undefined;
    const call = this.opened(name);
    call.foreign = this.foreign;
    const behind = this.from + this.opener.word.length;
    if (this.foreign && behind > this.from) call.mend('foreign-dialect', this.from, behind);
    else if (this.foreign) call.mendWhole('foreign-dialect');
    if (this.opener.rule) call.mend(this.opener.rule, this.from, behind);
    for (const { rule, from, to } of this.early) call.mend(rule, from, to);
    this.early = [];
    this.calls.push(call);
    return call;
  }

  mend(rule: Rule, from: number, to: number): void {
    const call = this.calls.at(-1);
    if (call) call.mend(rule, from, to);
    else this.early.push({ rule, from, to });
  }

  stands(from: number): void {
    const call = this.calls.at(-1);
    if (call && !this.stood) this.stood = [from, this.scan.solid];
  }

  /** All of it has been read: the last call goes up to the end of the closer. */
  end(): void {
    const to = this.scan.solid;
    this.placeLast(to);
    for (const call of this.calls) call.place(this.from, to);
  }

  /** The first call begins with the opener, another where its grammar said; where that said nothing, the whole block is its place. */
  private placeLast(to: number): void {
    const call = this.calls.at(-1);
    call?.place(call === this.calls[0] ? this.from : (this.stood?.[0] ?? this.from), to);
  }

  /** The call that is still being read, if any. */
  get current(): HeardCall | undefined {
    const call = this.calls.at(-1);
    return call?.state === 'open' ? call : undefined;
  }
}
