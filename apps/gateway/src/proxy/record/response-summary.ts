import {
  type Fault,
  type Finding,
  type FinishReason,
  type FoldedCall,
  ResponseAccumulator,
  type TurnEvent,
  type Usage,
} from '@callsmith/turn';

/** A call that was sent to the client. */
export interface SentCall {
  readonly choice: number;
  readonly name: string;
  /** UTF-8 bytes of its arguments. */
  bytes: number;
  whole: boolean;
}

/** The output and the findings of an attempt, to restore if a later attempt is no better. */
export interface SummarySnapshot {
  readonly answer: ResponseAccumulator;
  readonly notes: readonly (Finding & { readonly choice: number })[];
  readonly usage: Usage | undefined;
  readonly reason: FinishReason | undefined;
}

/** How many characters of text that passed through are kept to estimate its tokens. */
const longestSample = 8192;

/**
 * What was sent to the client, and the findings, token counts and times of the response. Each value is changed by one
 * method only.
 */
export type ResponseSummary = Readonly<Summary>;

/** The summary of a response that has not begun. */
export const newResponseSummary = (): ResponseSummary => new Summary();

class Summary {
  readonly notes: (Finding & { readonly choice: number })[] = [];
  readonly calls: SentCall[] = [];
  private readonly byPlace = new Map<number, SentCall>();
  /** The response as it was sent, of the newest attempt; empty if it passed through. */
  answer = new ResponseAccumulator();
  /** The usage of the delivered attempt (D-44). */
  usage: Usage | undefined;
  /** Tokens of the other attempts, which were corrected. */
  readonly discarded = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  /** The response is that of a correction. */
  corrected = false;
  reason: FinishReason | undefined;
  /** UTF-16 units of text and reasoning that were sent. */
  textLength = 0;
  /** The beginning of the text that passed through, escaped as in a JSON string. */
  textSample = '';
  /** The HTTP status of the response; 0 before it begins. */
  status = 0;
  fault: Fault | undefined;
  /** The client disconnected before the response was complete. */
  clientClosed = false;
  /**
   * `performance.now()` of: the first bytes to the client; the first text, reasoning or call sent; the end of the
   * response.
   */
  firstSentAt: number | undefined;
  firstTokenAt: number | undefined;
  endedAt: number | undefined;

  /** Begins a new attempt: the output of the previous one is discarded, findings about what was done stay. */
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

  /** Begins a correction: what was sent stays, and how the previous attempt ended is discarded. */
  beginCorrection(keepsAnswer: boolean): void {
    if (!keepsAnswer) this.answer = new ResponseAccumulator();
    this.usage = undefined;
    this.reason = undefined;
    const kept = this.notes.filter(({ call }) => call === undefined);
    this.notes.length = 0;
    for (const note of kept) this.notes.push(note);
  }

  /** A snapshot of the current state, without calls. */
  keep(): SummarySnapshot {
    const { answer, notes, usage, reason } = this;
    return { answer, notes: [...notes], usage, reason };
  }

  /** Restores the state of an attempt that is delivered after all. */
  restore({ answer, notes, usage, reason }: SummarySnapshot): void {
    this.answer = answer;
    this.notes.length = 0;
    for (const note of notes) this.notes.push(note);
    this.calls.length = 0;
    this.byPlace.clear();
    this.usage = usage;
    this.reason = reason;
  }

  /** Adds the tokens of an attempt that is not delivered. */
  discard({ inputTokens, outputTokens, cachedTokens = 0 }: Usage): void {
    this.discarded.inputTokens += whole(inputTokens);
    this.discarded.outputTokens += whole(outputTokens);
    this.discarded.cachedTokens += whole(cachedTokens);
  }

  /** The head is sent. */
  sendHead(status: number): void {
    this.status = status;
    this.firstSentAt ??= performance.now();
  }

  /** Text, reasoning or a call is sent. */
  sendToken(): void {
    this.firstTokenAt ??= performance.now();
  }

  /** The response ends with a fault; the first one counts. */
  fail(fault: Fault): void {
    this.fault ??= fault;
  }

  /** Adds a call that the gateway ran itself. */
  addRun({ name, arguments: json }: Pick<FoldedCall, 'name' | 'arguments'>): void {
    this.calls.push({ choice: 0, name, bytes: Buffer.byteLength(json), whole: true });
  }

  /** The request is refused with a fault, which replaces an earlier one. */
  refuse(fault: Fault): void {
    this.fault = fault;
  }

  /** The response comes from a correction. */
  markCorrected(): void {
    this.corrected = true;
  }

  /** The client disconnects before the response is complete. */
  hangUp(): void {
    this.clientClosed = true;
  }

  /** The request has ended. */
  finish(): void {
    if (this.clientClosed) this.status = clientClosed;
    this.endedAt = performance.now();
  }

  /** Adds text that passed through, escaped as in a JSON string. */
  addPassedText(json: string): void {
    this.textLength += json.length;
    if (this.textSample.length < longestSample)
      this.textSample += json.slice(0, longestSample - this.textSample.length);
  }

  /**
   * Adds text that passed through in one piece. Only its beginning is escaped: the rest is taken to have as many escapes.
   */
  addPassedWhole(text: string): void {
    const beginning = text.slice(0, longestSample);
    const json = JSON.stringify(beginning).slice(1, -1);
    this.addPassedText(json);
    const rest = text.length - beginning.length;
    if (rest > 0) this.textLength += Math.round((rest * json.length) / beginning.length);
  }

  /** Adds an event that was sent to the client. */
  add(event: TurnEvent): void {
    this.answer.push(event);
    this.count(event);
  }

  /** Records an event like `add`, if the client got it in another form. */
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

/** The tokens of all attempts (D-44), delivered or not. */
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

/** The status that nginx logs for a client that disconnected; it is never sent. */
const clientClosed = 499;

/**
 * Makes whole numbers of reported token counts, as limits and rows need them. The client gets the server's own numbers.
 */
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

/** The largest token count that is recorded: more than any response has, and sums of it fit into 64 bits. */
const mostTokens = 1_000_000_000;

const placeOf = (event: { readonly choice: number; readonly index: number }): number =>
  event.choice * maxCalls + event.index;

const maxCalls = 1_000_000;
