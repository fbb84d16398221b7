import { type PendingCall, unobserved } from '../finalize/pending-call.ts';
import type { ParserOutput } from './parser-output.ts';
import type { PartParser } from './parser-state.ts';

/** Parses reasoning for calls, which count only if it never closes and nothing but calls follows them. */
export class SpeculativeParser {
  private readonly calls: PendingCall[] = [];
  private readonly parser: PartParser;

  /** `from`: where the reasoning begins in the choice's raw text; undefined where it is no part of that. */
  constructor(
    private readonly output: ParserOutput,
    partParser: (output: ParserOutput, from: number) => PartParser,
    private readonly from: number | undefined,
  ) {
    const onText = (text: string): void => {
      if (text.trim() !== '') this.calls.length = 0;
    };
    this.parser = partParser(collectCalls(output, this.calls, onText), from ?? 0);
  }

  push(text: string): void {
    this.parser.push(text);
  }

  /** The reasoning never closed: its last calls are part of the answer. Answers with how many. */
  finish(cut: boolean): number {
    this.parser.end(cut);
    const whole = this.calls.filter((call) => call.state === 'closed' && call.tool !== undefined);
    if (whole.length < this.calls.length || whole.length === 0) return 0;
    for (const call of whole) {
      if (this.from === undefined) call.setRangeOfWhole(undefined);
      call.repairWhole('end-reasoning');
    }
    this.output.commit(whole);
    return whole.length;
  }
}

/** Collects calls outside of the answer; `onText` gets the text round them. */
export const collectCalls = (
  output: ParserOutput,
  calls: PendingCall[],
  onText: (text: string) => void,
): ParserOutput => ({
  emitText: onText,
  emitWhitespace: () => {},
  emitReasoning: () => {},
  openCall: (rawName) => {
    const call = output.openSpeculative(rawName, unobserved);
    calls.push(call);
    return call;
  },
  openSpeculative: (rawName, observer) => output.openSpeculative(rawName, observer),
  commit: (more) => {
    for (const call of more) calls.push(call);
  },
  note: () => {},
});
