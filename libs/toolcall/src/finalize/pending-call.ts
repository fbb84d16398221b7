import { type FindingClass, type Range, StringBuilder, type Tool } from '@callsmith/turn';
import type { Repair, Rule } from '../rules.ts';

/** Text, or the API's call fields. */
export type CallSource = 'text' | 'native';

/** Notified of the progress of a call. */
export interface CallObserver {
  /** The call has more bytes, has ended, or has failed. */
  progressed(call: PendingCall): void;
  /** Takes a piece of a streaming call; false if it has to wait. */
  sent(call: PendingCall, json: string): boolean;
  /** A repair was recorded. */
  repaired(call: PendingCall, repair: Repair): void;
  /** The range of this call's text is known. */
  rangeKnown(call: PendingCall): void;
}

/** For calls whose progress nothing depends on. */
export const unobserved: CallObserver = {
  progressed: () => {},
  sent: () => false,
  repaired: () => {},
  rangeKnown: () => {},
};

/** Why a call failed. */
export interface CallFailure {
  readonly class: FindingClass;
  readonly detail: string;
  /** The text that is emitted if nothing else is left of the turn (D-3). */
  readonly message: string;
}

/** A call that is being parsed. The JSON that was written to it is a prefix of one value. */
export class PendingCall {
  state: 'open' | 'closed' | 'failed' = 'open';
  /** Position in the answer, counting dropped calls. */
  position = 0;
  /** UTF-8 bytes written so far. */
  bytes = 0;
  /** The call is emitted while it is written. */
  streaming = false;
  /** Its arguments are not a JSON object, so it can only be emitted as a whole. */
  wholeOnly = false;
  /** Argument text beyond repair, which is emitted as `{"input": text}`. */
  input: string | undefined;
  /** The model stopped in the middle of its arguments. */
  brokenOff = false;
  /** It was abandoned, or holds prose in place of arguments. Computed on demand, after it was closed. */
  abandonedOrProse: boolean | undefined;
  failure: CallFailure | undefined;
  /** Its dialect is not the model's own. */
  foreign = false;
  /** It began without a marker. */
  unmarked = false;
  /** The offset after its opening marker; undefined if it has none. */
  behindMarker: number | undefined;
  /** The name identifies no tool; the arguments may. */
  infer = false;
  /** The range of its text is known. A native call has none. */
  rangeIsKnown = false;
  /** UTF-16 offsets in the choice's raw text. Undefined: not in that text. */
  range: Range | undefined;
  readonly repairs: Repair[] = [];
  /** Written and not yet emitted. */
  readonly parts = new StringBuilder();
  /** The emitted arguments of a streaming call, to be checked at its end. */
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

  /** From now on `observer` is notified. */
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

  /** Replaces what was written with complete, repaired arguments; only while held. */
  rewrite(json: string): void {
    this.parts.clear();
    this.parts.push(json);
    this.wholeOnly = true;
  }

  /** Keeps what was emitted, up to a little more than `limit` characters. */
  keepSent(json: string, limit: number): void {
    if (this.sentLength > limit) return;
    this.sentLength += json.length;
    this.sentArguments.push(json);
  }

  /** The name is only a counter: the tool is determined from the arguments. */
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

  /** Its text was parsed; the range includes the markers. */
  setRange(from: number, to: number): void {
    if (this.rangeIsKnown) return;
    this.rangeIsKnown = true;
    this.range = [from, to];
    this.observer.rangeKnown(this);
  }

  /**
   * For a call that was not parsed from the choice's raw text itself: all of it gets this range of that text;
   * undefined: none.
   */
  setRangeOfWhole(range: Range | undefined): void {
    this.rangeIsKnown = true;
    this.range = range;
    for (const repair of this.repairs) repair.from = repair.to = undefined;
  }

  /** Records a repair. The same repair at several places is one, with the range from the first to the last. */
  repair(rule: Rule, from: number, to: number): void {
    const same = this.repairs.find((repair) => repair.rule === rule);
    if (same?.from !== undefined && same.to !== undefined) {
      same.from = Math.min(from, same.from);
      same.to = Math.max(to, same.to);
    }
    if (!same) this.noteRepair({ rule, from, to });
  }

  /** Records a repair of the call as a whole, or one without a range. */
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
