import type { CallBuilder } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';

/**
 * Parses calls that each begin with `begin`, inside a section or not. Inside one, the section's marker was just
 * consumed; else the marker of the first call was. The section's closing marker is not consumed.
 */
export function* parseRepeatedCalls(
  scan: Scanner,
  builder: CallBuilder,
  begin: string,
  parseOneCall: (scan: Scanner, builder: CallBuilder) => Step<void>,
): Step<void> {
  let from = scan.offset;
  if (builder.openingMarker.text === begin) {
    yield* parseOneCall(scan, builder);
    builder.setRange(from);
  }
  for (;;) {
    yield* scan.space();
    from = scan.offset;
    if (!(yield* scan.takeText(begin))) return;
    yield* parseOneCall(scan, builder);
    builder.setRange(from);
  }
}
