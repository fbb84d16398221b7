import type { FindingClass, Range, Tool } from '@callsmith/turn';
import type { Repair, Rule } from '../rules.ts';
import { StringBuilder } from '../string-builder.ts';

/** Where a call came from. */
export type CallSource = 'text' | 'native';

/** Is told when a call has got further. */
export interface CallObserver {
  /** More is known of this call: bytes, its end, or its failure. */
  progressed(call: PendingCall): void;
  /** Takes a piece of a call that is going out; false if it has to wait. */
  sent(call: PendingCall, json: string): boolean;
  /** A repair was noted after the call had left. */
  repaired(call: PendingCall, repair: Repair): void;
  /** It is known where this call's text stands. */
  rangeKnown(call: PendingCall): void;
}

/** For calls that nobody waits for while they are read. */
export const unobserved: CallObserver = {
  progressed: () => {},
  sent: () => false,
  repaired: () => {},
  rangeKnown: () => {},
};

/** Why a call did not survive. */
export interface CallFailure {
  readonly class: FindingClass;
  readonly detail: string;
  /** What goes out as text if nothing else is left of the turn (D-3). */
  readonly message: string;
}

/** A call while it is being read. What it writes is a prefix of one JSON value. */
export class PendingCall {
  state: 'open' | 'closed' | 'failed' = 'open';
  /** Position in the answer, dropped calls included. */
  position = 0;
  /** UTF-8 bytes written so far. */
  bytes = 0;
  /** The call goes out as it is written. */
  streaming = false;
  /** Its arguments are not a JSON object, so it can only go out whole. */
  wholeOnly = false;
  /** Argument text beyond repair, which goes out as `{"input": text}`. */
  input: string | undefined;
  /** The model began its arguments and left off in their middle. */
  brokenOff = false;
  /** It was broken off, or where its arguments belong stands prose. Known once it is closed and was asked for. */
  isUnusable: boolean | undefined;
  failure: CallFailure | undefined;
  /** Its dialect is another than the model's. */
  foreign = false;
  /** Nothing marked it. */
  unmarked = false;
  /** The offset behind the marker that it begins with; undefined where nothing marks it. */
  behindMarker: number | undefined;
  /** The name says nothing; the arguments may tell which tool is meant. */
  infer = false;
  /** It is known where its text stands. A native call has no such place. */
  rangeIsKnown = false;
  /** Where: UTF-16 offsets in the choice's raw text. Undefined: not in that text. */
  range: Range | undefined;
  readonly repairs: Repair[] = [];
  /** Written and not yet gone out. */
  readonly parts = new StringBuilder();
  /** What went out of a call that is sent as it is written, to be checked at its end. */
  readonly sentArguments = new StringBuilder();
  private sentLength = 0;
  private began = false;

  constructor(
    readonly rawName: string,
    public name: string,
    public tool: Tool | undefined,
    readonly source: CallSource,
    private observer: CallObserver,
  ) {}

  /** From now on `observer` is told. */
  observeBy(observer: CallObserver): void {
    this.observer = observer;
  }

  /** Appends JSON text of the arguments. */
  write(json: string): void {
    if (json === '') return;
    if (this.streaming && this.observer.sent(this, json)) return;
    if (!this.began) {
      this.began = true;
      if (json[0] !== '{') this.wholeOnly = true;
    }
    if (!this.streaming) this.bytes += utf8Length(json);
    this.parts.push(json);
    this.observer.progressed(this);
  }

  /** Puts whole, repaired arguments in the place of what was written; only while held. */
  rewrite(json: string): void {
    this.parts.clear();
    this.parts.push(json);
    this.wholeOnly = true;
  }

  /** Remembers what went out, up to a little more than `limit` characters. */
  keepSent(json: string, limit: number): void {
    if (this.sentLength > limit) return;
    this.sentLength += json.length;
    this.sentArguments.push(json);
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
    this.observer.progressed(this);
  }

  fail(failure: CallFailure): void {
    if (this.state !== 'open') return;
    this.state = 'failed';
    this.failure = failure;
    this.observer.progressed(this);
  }

  /** Its text has been read, markers included. */
  setRange(from: number, to: number): void {
    if (this.rangeIsKnown) return;
    this.rangeIsKnown = true;
    this.range = [from, to];
    this.observer.rangeKnown(this);
  }

  /** What it was read from is not the choice's raw text itself: all of it stands at `range` of that, undefined: nowhere. */
  setRangeOfWhole(range: Range | undefined): void {
    this.rangeIsKnown = true;
    this.range = range;
    for (const repair of this.repairs) repair.from = repair.to = undefined;
  }

  /** Notes a repair. The same repair at several places is one, with the range from the first to the last. */
  repair(rule: Rule, from: number, to: number): void {
    const same = this.repairs.find((repair) => repair.rule === rule);
    if (same?.from !== undefined && same.to !== undefined) {
      same.from = Math.min(from, same.from);
      same.to = Math.max(to, same.to);
    }
    if (!same) this.noteRepair({ rule, from, to });
  }

  /** Notes a repair of the call as a whole, or of what has no place of its own. */
  repairWhole(rule: Rule): void {
    const same = this.repairs.find((repair) => repair.rule === rule);
    if (same) same.from = same.to = undefined;
    else this.noteRepair({ rule, from: undefined, to: undefined });
  }

  private noteRepair(repair: Repair): void {
    this.repairs.push(repair);
    this.observer.repaired(this, repair);
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
