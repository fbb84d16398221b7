import type { CallBuilder } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';

/**
 * Reads calls that each begin with `begin`, in a section or without one: with one, the section's marker has just been
 * read; without, that of the first call. What closes the section is left to be read.
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
