import type { PendingCall } from '../finalize/pending-call.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import type { ArgumentsWriter, DeclaredType } from './arguments-writer.ts';
import { type RawEnd, RawValue } from './raw-value.ts';

/** Parses one raw value into `out`. */
export function* parseRawValue(
  scan: Scanner,
  call: PendingCall,
  out: ArgumentsWriter,
  key: string,
  declared: DeclaredType,
  end: RawEnd,
): Step<void> {
  const from = scan.offset;
  const member = out.rawMember(key, declared);
  const value = new RawValue(end, {
    asString: member.asString,
    isCut: () => scan.cut,
    emitEscaped: (escaped) => {
      member.emitEscaped(escaped);
      if (call.streaming) scan.unmark();
    },
  });
  if (!(yield* scan.feedConsumer(value))) throw new ParseFailure('cut');
  if (value.innerClose) call.repair('keep-inner-close', from, scan.offset);
  if (value.tolerated) call.repair('tolerate-tag', from, scan.offset);
  if (value.implied) call.repair('close-parameter', scan.offset, scan.offset);
  member.end(value.value, value.emitted);
}
