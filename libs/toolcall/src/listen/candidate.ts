import type { ToolTable } from '@callsmith/turn';
import type { Dialect, Hearing, Opener } from '../dialect.ts';
import type { Rule } from '../rules.ts';
import type { HeardCall } from '../settle/heard-call.ts';

/** What may be a call, while one dialect reads it. */
export class Candidate implements Hearing {
  readonly calls: HeardCall[] = [];
  private early: { rule: Rule; from: number; to: number }[] = [];

  constructor(
    readonly dialect: Dialect,
    readonly opener: Opener,
    readonly own: boolean,
    readonly foreign: boolean,
    readonly tools: ToolTable,
    private readonly opened: (name: string) => HeardCall,
    private readonly from: number,
  ) {}

  open(name: string): HeardCall {
    const call = this.opened(name);
    call.foreign = this.foreign;
    if (this.foreign) call.mend('foreign-dialect', this.from, this.from);
    if (this.opener.rule) call.mend(this.opener.rule, this.from, this.from + this.opener.word.length);
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

  /** The call that is still being read, if any. */
  get current(): HeardCall | undefined {
    const call = this.calls.at(-1);
    return call?.state === 'open' ? call : undefined;
  }
}
