import type { FindingClass, Range, Tool } from '@callsmith/turn';
import { Pieces } from '../pieces.ts';
import type { Mend, Rule } from '../rules.ts';
import { rules } from '../rules.ts';

/** Where a call came from. */
export type Birth = 'text' | 'native';

/** Is told when a call has got further. */
export interface CallWatch {
  /** More is known of this call: bytes, its end, or its failure. */
  moved(call: HeardCall): void;
  /** Takes a piece of a call that is going out; false if it has to wait. */
  sent(call: HeardCall, json: string): boolean;
  /** A repair was noted after the call had left. */
  mended(call: HeardCall, mend: Mend): void;
  /** It is known where this call's text stands. */
  placed(call: HeardCall): void;
}

/** For calls that nobody waits for while they are read. */
export const unwatched: CallWatch = { moved: () => {}, sent: () => false, mended: () => {}, placed: () => {} };

/** Why a call did not survive. */
export interface Failure {
  readonly class: FindingClass;
  readonly detail: string;
  /** What goes out as text if nothing else is left of the turn (D-3). */
  readonly say: string;
}

/** A call while it is being read. What it writes is a prefix of one JSON value. */
export class HeardCall {
  state: 'open' | 'closed' | 'failed' = 'open';
  /** Position in the answer, dropped calls included. */
  ordinal = 0;
  /** UTF-8 bytes written so far. */
  bytes = 0;
  /** Set by settling: the call is going out as it is written. */
  streaming = false;
  /** Its arguments are not a JSON object, so it can only go out whole. */
  wholeOnly = false;
  /** Unrepairable argument text that goes out as `{"input": text}` (D-4). */
  input: string | undefined;
  failure: Failure | undefined;
  /** Its dialect is another than the model's. */
  foreign = false;
  /** The name says nothing; the arguments may tell which tool is meant. */
  infer = false;
  /** It is known where its text stands. A native call has no such place. */
  placed = false;
  /** Where: UTF-16 offsets in the choice's raw text. Undefined: not in that text. */
  range: Range | undefined;
  readonly mends: Mend[] = [];
  /** Written and not yet gone out. */
  readonly parts = new Pieces();
  private began = false;

  constructor(
    readonly said: string,
    public name: string,
    public tool: Tool | undefined,
    readonly birth: Birth,
    private readonly watch: CallWatch,
  ) {}

  /** Appends JSON text of the arguments. */
  write(json: string): void {
    if (json === '') return;
    if (this.streaming && this.watch.sent(this, json)) return;
    if (!this.began) {
      this.began = true;
      if (json[0] !== '{') this.wholeOnly = true;
    }
    if (!this.streaming) this.bytes += utf8Length(json);
    this.parts.push(json);
    this.watch.moved(this);
  }

  /** Puts whole, repaired arguments in the place of what was written; only while held. */
  rewrite(json: string): void {
    this.parts.clear();
    this.parts.push(json);
    this.wholeOnly = true;
  }

  /** The name is only a counter: the tool is to be found by the arguments. */
  inferTool(): void {
    if (this.tool) return;
    this.infer = true;
    this.wholeOnly = true;
  }

  close(): void {
    if (this.state !== 'open') return;
    this.state = 'closed';
    this.watch.moved(this);
  }

  fail(failure: Failure): void {
    if (this.state !== 'open') return;
    this.state = 'failed';
    this.failure = failure;
    this.watch.moved(this);
  }

  /** Its text has been read, markers included. */
  place(from: number, to: number): void {
    if (this.placed) return;
    this.placed = true;
    this.range = [from, to];
    this.watch.placed(this);
  }

  /** What it was read from is not the choice's raw text itself: all of it stands at `range` of that, undefined: nowhere. */
  moveTo(range: Range | undefined): void {
    this.placed = true;
    this.range = range;
    for (const mend of this.mends) mend.from = mend.to = undefined;
  }

  /** Notes a repair. The same repair at several places is one, with the range from the first to the last. */
  mend(rule: Rule, from: number, to: number): void {
    const same = this.mends.find((mend) => mend.rule === rule);
    if (same?.from !== undefined && same.to !== undefined) {
      same.from = Math.min(from, same.from);
      same.to = Math.max(to, same.to);
    }
    if (!same) this.noteMend({ rule, from, to });
  }

  /** Notes a repair of the call as a whole, or of what has no place of its own. */
  mendWhole(rule: Rule): void {
    const same = this.mends.find((mend) => mend.rule === rule);
    if (same) same.from = same.to = undefined;
    else this.noteMend({ rule, from: undefined, to: undefined });
  }

  private noteMend(mend: Mend): void {
    this.mends.push(mend);
    this.watch.mended(this, mend);
  }

  /** True if a guess was needed so far. */
  get guessed(): boolean {
    return this.mends.some((mend) => rules[mend.rule].guess);
  }
}

/** Length in UTF-8 bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
