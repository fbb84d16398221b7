import { type PendingCall, unobserved } from '../finalize/pending-call.ts';
import { schemaMismatch } from '../finalize/validate-arguments.ts';
import { parseWhole } from '../parse-whole.ts';
import type { ParserOutput } from './parser-output.ts';
import type { PartParser } from './parser-state.ts';
import type { TextPart } from './text-parser-options.ts';
import type { Tries } from './tries.ts';

/** Closed reasoning with fewer characters holds no call. */
const shortest = 12;

/** Parses reasoning for calls, which count only if it never closes and nothing but calls follows them. */
export class SpeculativeParser {
  /** The calls at the end, followed by nothing but calls. */
  private readonly calls: PendingCall[] = [];
  /** A complete call of a tool on offer precedes them. */
  private hasOthers = false;
  /** Created once the text may hold a call: blocks may be many and short. */
  private parser: PartParser | undefined;
  private reasoning = '';

  /** `from`: start of the reasoning in the choice's raw text; undefined if it is not part of that text. */
  constructor(
    private readonly output: ParserOutput,
    private readonly partParser: (output: ParserOutput, part: TextPart) => PartParser,
    private readonly from: number | undefined,
    /** Calls in closed reasoning may be the answer (D-45). */
    private readonly promotes: boolean,
    /** Counts failed attempts in the answer's earlier reasoning too. */
    private readonly tries?: Tries,
  ) {}

  push(text: string): void {
    if (this.parser) {
      if (this.promotes) this.reasoning += text;
      this.parser.push(text);
      return;
    }
    this.reasoning += text;
    if (this.reasoning.length >= shortest && this.mayHoldCall()) this.start();
  }

  /** False while the attempts of earlier blocks leave none for this one, wherever in its text. */
  private mayHoldCall(): boolean {
    return !this.tries || this.tries.mayTry((this.from ?? 0) + this.reasoning.length);
  }

  private start(): PartParser {
    const onText = (text: string): void => {
      if (text.trim() === '') return;
      this.hasOthers ||= this.calls.some(isWhole);
      this.calls.length = 0;
    };
    const parser = this.partParser(collectCalls(this.output, this.calls, onText), {
      from: this.from ?? 0,
      ...(this.tries && { tries: this.tries }),
    });
    this.parser = parser;
    parser.push(this.reasoning);
    return parser;
  }

  /** The reasoning never closed: its last calls become part of the answer. Returns their number. */
  finish(cut: boolean): number {
    (this.parser ?? this.start()).end(cut);
    const { calls } = this;
    if (calls.length === 0 || !calls.every(isWhole)) {
      if (this.hasOthers || calls.some(isWhole)) this.output.leaveInReasoning([]);
      return 0;
    }
    for (const call of calls) {
      if (this.from === undefined) call.setRangeOfWhole(undefined);
      call.repairWhole('end-reasoning');
    }
    this.output.commit(calls);
    return calls.length;
  }

  /** The reasoning was closed: calls in it are not part of the answer. */
  close(): void {
    if (!this.parser) return;
    this.parser.end();
    const { calls } = this;
    if (!this.hasOthers && !calls.some(isWhole)) return;
    const mayCount = this.promotes && calls.every((call) => this.isPromotable(call));
    this.output.leaveInReasoning(mayCount ? calls : []);
  }

  /** Complete, valid without repairs, and in a form that is not prose (D-45). */
  private isPromotable(call: PendingCall): boolean {
    const { tool, behindMarker, repairs } = call;
    if (!isWhole(call) || call.input !== undefined || repairs.length > 0 || behindMarker === undefined) return false;
    if (!/^\s*[{<]/.test(this.reasoning.slice(behindMarker - (this.from ?? 0)))) return false;
    const json = call.parts.text();
    return parseWhole(json) !== undefined && (!tool?.parameters || schemaMismatch(json, tool.parameters) === undefined);
  }
}

const isWhole = ({ state, tool }: PendingCall): boolean => state === 'closed' && tool !== undefined;

/** Collects calls outside the answer; `onText` receives the text around them. */
export const collectCalls = (
  output: ParserOutput,
  calls: PendingCall[],
  onText: (text: string) => void,
): ParserOutput => ({
  isFull: () => output.isFull(),
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
  leaveInReasoning: () => {},
  note: () => {},
});
