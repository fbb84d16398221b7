import {
  type Fault,
  type Finding,
  type FinishReason,
  type FoldedCall,
  ResponseAccumulator,
  type TurnEvent,
  type Usage,
} from '@callsmith/turn';

/** One call that went out to the client. */
export interface SentCall {
  readonly choice: number;
  readonly name: string;
  /** UTF-8 bytes of its arguments. */
  bytes: number;
  whole: boolean;
}

/** What a try said and what was found in it, to go on from where another comes to nothing. */
export interface SummarySnapshot {
  readonly answer: ResponseAccumulator;
  readonly notes: readonly (Finding & { readonly choice: number })[];
  readonly usage: Usage | undefined;
  readonly reason: FinishReason | undefined;
}

/** So much of what passed through is kept for an estimate of its tokens. */
const longestSample = 8192;

/**
 * What went out, and what was found in it: calls, findings, token counts, times. The rooms tell it what happened; its
 * values are written by its own methods only, each by one.
 */
export type ResponseSummary = Readonly<Summary>;

/** The summary of a response that has not begun. */
export const newResponseSummary = (): ResponseSummary => new Summary();

class Summary {
  readonly notes: (Finding & { readonly choice: number })[] = [];
  readonly calls: SentCall[] = [];
  private readonly byPlace = new Map<number, SentCall>();
  /** The answer as it went out, of the newest attempt; empty where frames passed through as they came. */
  answer = new ResponseAccumulator();
  /** Of the try that is delivered (D-44). */
  usage: Usage | undefined;
  /** Tokens of the tries before it, which were asked for again. */
  readonly discarded = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  /** The answer is that of a second try. */
  corrected = false;
  reason: FinishReason | undefined;
  /** UTF-16 units of text and reasoning that went out. */
  textLength = 0;
  /** The beginning of the text that passed through as it came, as inside a JSON string. */
  textSample = '';
  /** HTTP status of the answer; 0 before there is one. */
  status = 0;
  fault: Fault | undefined;
  /** The client disconnected before the response was complete. */
  clientClosed = false;
  /** `performance.now()` of: the first bytes to the client; the first text, reasoning or call that went out; the end of it all. */
  firstSentAt: number | undefined;
  firstTokenAt: number | undefined;
  endedAt: number | undefined;

  /** A new attempt begins: what the one before it said does not count, what was done about it does. */
  begin(): void {
    this.answer = new ResponseAccumulator();
    this.calls.length = 0;
    this.byPlace.clear();
    this.usage = undefined;
    this.reason = undefined;
    const kept = this.notes.filter(({ stage }) => stage === 'request' || stage === 'upstream');
    this.notes.length = 0;
    for (const note of kept) this.notes.push(note);
  }

  /** Another try begins: what has gone out stays, and what the one before it ended with does not count. */
  beginCorrection(keepsAnswer: boolean): void {
    if (!keepsAnswer) this.answer = new ResponseAccumulator();
    this.usage = undefined;
    this.reason = undefined;
    const kept = this.notes.filter(({ call }) => call === undefined);
    this.notes.length = 0;
    for (const note of kept) this.notes.push(note);
  }

  /** What there is now, without calls. */
  keep(): SummarySnapshot {
    const { answer, notes, usage, reason } = this;
    return { answer, notes: [...notes], usage, reason };
  }

  /** A try that was kept is delivered after all. */
  restore({ answer, notes, usage, reason }: SummarySnapshot): void {
    this.answer = answer;
    this.notes.length = 0;
    for (const note of notes) this.notes.push(note);
    this.calls.length = 0;
    this.byPlace.clear();
    this.usage = usage;
    this.reason = reason;
  }

  /** Tokens of a try that is not delivered. */
  discard({ inputTokens, outputTokens, cachedTokens = 0 }: Usage): void {
    this.discarded.inputTokens += whole(inputTokens);
    this.discarded.outputTokens += whole(outputTokens);
    this.discarded.cachedTokens += whole(cachedTokens);
  }

  /** The head goes out. */
  sendHead(status: number): void {
    this.status = status;
    this.firstSentAt ??= performance.now();
  }

  /** Text, reasoning or a call goes out. */
  sendToken(): void {
    this.firstTokenAt ??= performance.now();
  }

  /** The response ends with a fault; the first one counts. */
  fail(fault: Fault): void {
    this.fault ??= fault;
  }

  /** A call that the gateway ran itself. */
  addRun({ name, arguments: json }: Pick<FoldedCall, 'name' | 'arguments'>): void {
    this.calls.push({ choice: 0, name, bytes: Buffer.byteLength(json), whole: true });
  }

  /** The request is refused with this fault, whatever came before. */
  refuse(fault: Fault): void {
    this.fault = fault;
  }

  /** What goes out came from a second try. */
  markCorrected(): void {
    this.corrected = true;
  }

  /** The client hangs up before its answer is whole. */
  hangUp(): void {
    this.clientClosed = true;
  }

  /** All is over. */
  finish(): void {
    if (this.clientClosed) this.status = clientClosed;
    this.endedAt = performance.now();
  }

  /** Text that passed through as it came, as inside a JSON string. */
  addPassedText(json: string): void {
    this.textLength += json.length;
    if (this.textSample.length < longestSample)
      this.textSample += json.slice(0, longestSample - this.textSample.length);
  }

  /** What went out to the client. */
  add(event: TurnEvent): void {
    this.answer.push(event);
    this.count(event);
  }

  /** As `add`, of what the client got in another form. */
  count(event: TurnEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.textLength += event.text.length;
        this.sendToken();
        return;
      case 'tool-start': {
        this.sendToken();
        const call = { choice: event.choice, name: event.name, bytes: 0, whole: false };
        this.calls.push(call);
        this.byPlace.set(placeOf(event), call);
        return;
      }
      case 'tool-delta': {
        const call = this.byPlace.get(placeOf(event));
        if (call) call.bytes += Buffer.byteLength(event.json);
        return;
      }
      case 'tool-end': {
        const call = this.byPlace.get(placeOf(event));
        if (call) call.whole = event.whole;
        return;
      }
      case 'usage':
        this.usage = countable(event);
        return;
      case 'note':
        this.notes.push({ ...event.note, choice: event.choice });
        return;
      case 'turn-end':
        this.reason = event.reason;
        return;
      default:
    }
  }
}

/** The tokens of all tries (D-44), of those that are delivered and those that are not. */
export const withDiscarded = (
  { inputTokens, outputTokens, cachedTokens }: Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedTokens'>,
  discarded: ResponseSummary['discarded'],
): Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedTokens'> => ({
  inputTokens: inputTokens + discarded.inputTokens,
  outputTokens: outputTokens + discarded.outputTokens,
  ...((cachedTokens !== undefined || discarded.cachedTokens > 0) && {
    cachedTokens: (cachedTokens ?? 0) + discarded.cachedTokens,
  }),
});

/** The status that nginx writes for a client that hung up; never sent. */
const clientClosed = 499;

/** Servers say what they like; limits and rows take whole numbers. What goes to the client stays as it was said. */
function countable(usage: Usage): Usage {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  if (isWhole(inputTokens) && isWhole(outputTokens) && (cachedTokens === undefined || isWhole(cachedTokens)))
    return usage;
  return {
    ...usage,
    inputTokens: whole(inputTokens),
    outputTokens: whole(outputTokens),
    ...(cachedTokens !== undefined && { cachedTokens: whole(cachedTokens) }),
  };
}

const isWhole = (tokens: number): boolean => whole(tokens) === tokens;

const whole = (tokens: number): number => Math.min(Math.max(0, Math.round(tokens)), mostTokens);

/** More than any answer has; sums of these fit into 64 bits. */
const mostTokens = 1_000_000_000;

const placeOf = (event: { readonly choice: number; readonly index: number }): number =>
  event.choice * maxCalls + event.index;

const maxCalls = 1_000_000;
