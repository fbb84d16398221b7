import type { AgentSettings } from '@callsmith/config';
import { spendOf } from '@callsmith/data/limits';
import {
  Fault,
  type Finding,
  type Folded,
  type FoldedCall,
  type FoldedChoice,
  type McpCall,
  type Message,
  ToolTable,
  type Turn,
  type Usage,
} from '@callsmith/turn';
import type { Attempts } from '../attempts/attempts.ts';
import type { AgentLimit, AgentRound, Try } from '../record/attempt-log.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import { callLoop, findingOf } from './call-loops.ts';
import type { OfferedTool } from './offer-tools.ts';
import { RoundResponse } from './round-response.ts';
import { resultText, runTools, type ToolRun, type ToolRunner } from './run-tools.ts';
import { approvalId, type StoredRounds, storedCallId } from './stored-rounds.ts';
import { summedUsage } from './summed-usage.ts';

/** What a request in agent mode needs in addition to its job. */
export interface AgentParts extends Omit<ToolRunner, 'limits' | 'signal' | 'done' | 'most'> {
  readonly hosted: ReadonlyMap<string, OfferedTool>;
  readonly attempts: Pick<Attempts, 'run'>;
  readonly limits: AgentSettings;
  readonly kept: StoredRounds;
}

/**
 * Runs a request in agent mode (L-5): asks the model round after round. A round's calls are held back until it ends;
 * calls of MCP servers' tools run here, and their results go back to the model. The response ends with a round without
 * such calls, with one that also calls the client's own tools, or at a limit with a last round without tools. All
 * rounds together are one request, with one response and one record.
 */
export class Agent {
  private readonly startedAt = performance.now();
  /** The messages of the rounds so far, which follow the request's own. */
  private readonly roundMessages: Message[] = [];
  private readonly tries: Try[] = [];
  private readonly done: AgentRound[] = [];
  private usage: Usage | undefined;
  /** How many calls the rounds so far made, dropped ones included. */
  private callCount = 0;
  /** How many calls ran. */
  private runCount = 0;
  private firstByteAt: number | undefined;

  /** The request's turn, with the results of calls that the client has approved. */
  private turn: Turn;

  constructor(
    private readonly job: CompletionJob,
    private readonly parts: AgentParts,
  ) {
    this.turn = job.turn;
  }

  /** Runs the rounds. The response has ended when this resolves. */
  async run(): Promise<void> {
    const { log, timing } = this.job;
    this.reportTools();
    await this.runApproved();
    await this.rounds();
    // The time of later rounds is not overhead of the gateway.
    if (this.firstByteAt !== undefined) timing.firstByteAt = this.firstByteAt;
    log.tries = this.tries;
    log.rounds = this.done;
  }

  private async rounds(): Promise<void> {
    const { log, signal } = this.job;
    for (let number = 1; ; number++) {
      const limit = number === 1 ? undefined : this.limitAt(number);
      const turn = this.turnOf(number, limit);
      log.agentLimit = limit;
      if (number > 1 && (await this.job.reserveTry?.(turn)) === false) return this.endUnread();
      const begun = performance.now();
      const round = await this.runRound(number, turn);
      const tookMs = Math.round(performance.now() - begun);
      this.count(round);
      if (round.fault || signal.aborted) return this.fail(round.fault);
      const calls = limit === undefined ? round.calls : [];
      const gatewayCalls = calls.filter((call) => this.runsHere(call) && !this.needsApproval(call));
      const runs = gatewayCalls.length > 0 ? await this.runTools(gatewayCalls) : [];
      this.done.push({ text: round.choice?.text ?? '', usage: round.summary.usage, tookMs, runs: runs.map(recordOf) });
      if (signal.aborted) return this.fail(undefined);
      if (gatewayCalls.length === 0 || gatewayCalls.length < calls.length) return this.end(round, calls, runs);
      for (const call of calls) this.job.response.summary.addRun(call);
      this.roundMessages.push(assistant(round.choice, calls), ...runs.map(resultOf));
    }
  }

  /** True if the calls repeat in a loop, those of the client's messages included. Notes it in the record. */
  private get loops(): boolean {
    const loop = callLoop([...this.turn.messages, ...this.roundMessages]);
    if (loop) this.job.response.note(findingOf(loop));
    return loop !== undefined;
  }

  /** The limit that is reached before this round; undefined: none. */
  private limitAt(number: number): AgentLimit | undefined {
    const { limits } = this.parts;
    const { log, model } = this.job;
    const used = this.usage ?? { inputTokens: 0, outputTokens: 0 };
    if (number > limits.rounds) return 'rounds';
    if (this.runCount >= this.mostRuns) return 'calls';
    if (this.leftMs <= 0) return 'time';
    if (this.loops) return 'loop';
    if (limits.tokens > 0 && used.inputTokens + used.outputTokens >= limits.tokens) return 'tokens';
    const spend = spendOf((log.model ?? model).price?.value, used) ?? 0;
    return limits.spend > 0 && spend >= limits.spend ? 'spend' : undefined;
  }

  /** How many calls may run in all, by the request's limit and the model's limit of calls per conversation. */
  private get mostRuns(): number {
    const { turn, model } = this.job;
    const made = turn.messages.reduce(
      (sum, message) => sum + (message.role === 'assistant' ? message.calls.length : 0),
      0,
    );
    const left = (model.toolCallLimit?.value ?? Number.POSITIVE_INFINITY) - made;
    return Math.min(turn.maxToolRuns ?? Number.POSITIVE_INFINITY, left);
  }

  private get leftMs(): number {
    return this.startedAt + this.parts.limits.totalMs - performance.now();
  }

  /**
   * The turn of a round. A `tool_choice` that requires a call applies to the first round only, as the rounds would
   * never end otherwise. At a limit the round has no tools.
   */
  private turnOf(number: number, limit: AgentLimit | undefined): Turn {
    const { turn } = this;
    if (number === 1) return turn;
    const messages = [...turn.messages, ...this.roundMessages];
    if (limit === undefined) return { ...turn, messages, toolChoice: turn.toolChoice === 'none' ? 'none' : 'auto' };
    return {
      ...turn,
      messages: [...messages, { role: 'user', content: lastWords }],
      tools: new ToolTable(),
      toolChoice: 'auto',
      given: (turn.given ?? []).filter((name) => name !== 'tool_choice' && name !== 'parallel_tool_calls'),
    };
  }

  /** Runs one round. A `Fault` becomes the round's, as part of the response may have been sent. */
  private async runRound(number: number, turn: Turn): Promise<RoundResponse> {
    const { job } = this;
    const { response, log } = job;
    const round = new RoundResponse(response, {
      streams: turn.stream,
      single: !turn.parallel,
      separator: this.separator,
    });
    const { store: _, fallbacks, ...rest } = job;
    const roundJob: CompletionJob = {
      ...rest,
      turn,
      response: round,
      // The response's headers have named the model: later rounds use the same.
      ...(number === 1 ? fallbacks && { fallbacks } : { model: log.model ?? job.model }),
    };
    log.earlier = log.count;
    try {
      await this.parts.attempts.run(roundJob);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      round.end(error);
    }
    return round;
  }

  /** The separator before the next text, if no item of the client's API separates it. */
  private get separator(): string {
    const { choices } = this.job.response.summary.answer.whole();
    return !this.reportsRuns && choices.some(({ text }) => text !== '') ? '\n\n' : '';
  }

  /** Adds a round's record to the record of the response. */
  private count({ summary }: RoundResponse): void {
    const { response, log, timing } = this.job;
    if (response.summary.firstSentAt !== undefined) this.firstByteAt ??= timing.firstByteAt;
    this.tries.push(...log.tries);
    log.tries = [];
    this.usage = summedUsage(this.usage, summary.usage);
    response.summary.discard({ ...summary.discarded, source: 'upstream' });
    if (summary.corrected) response.summary.markCorrected();
    for (const { choice: _, ...note } of summary.notes)
      response.note(note.call === undefined ? note : { ...note, call: note.call + this.callCount });
    this.callCount += summary.calls.length + new Set(summary.notes.filter(wasDropped).map(({ call }) => call)).size;
  }

  /** True if the gateway runs a call, or answers it because there is no such tool; false for the client's own tools. */
  private runsHere({ name }: FoldedCall): boolean {
    return this.parts.hosted.has(name) || !this.job.turn.tools.get(name);
  }

  /** True if the client has to approve a call before it runs. */
  private needsApproval({ name }: FoldedCall): boolean {
    return this.reportsRuns && this.parts.hosted.get(name)?.needsApproval === true;
  }

  /** True if the client's API can report the calls that the gateway runs. */
  private get reportsRuns(): boolean {
    return this.job.adapter.reportsToolRuns === true;
  }

  private runTools(calls: readonly FoldedCall[], approval?: string): Promise<ToolRun[]> {
    const { parts, job, reportsRuns } = this;
    const { response, signal } = job;
    for (const call of reportsRuns ? calls : []) {
      const made = this.mcpCall(call);
      if (made) response.push({ type: 'mcp-call', choice: 0, ...made, ...(approval !== undefined && { approval }) });
    }
    const done = ({ call: { id }, text, failed }: ToolRun): void => {
      response.push({ type: 'mcp-result', choice: 0, id, text, failed });
      if (response.summary.firstSentAt !== undefined) response.flush();
    };
    if (response.summary.firstSentAt !== undefined) response.flush();
    const most = Math.max(0, this.mostRuns - this.runCount);
    this.runCount += calls.length;
    return runTools(calls, { ...parts, signal, most, ...(reportsRuns && { done }) }, this.leftMs);
  }

  /** A call as it is reported to the client; undefined: there is no such tool. */
  private mcpCall({ id, name, arguments: json }: FoldedCall): McpCall | undefined {
    const tool = this.parts.hosted.get(name);
    return tool && { id, server: tool.server, name: tool.tool, arguments: json };
  }

  /** Reports the tools of the requested servers to the client. */
  private reportTools(): void {
    const { job, parts } = this;
    for (const { name: server } of (this.reportsRuns && job.turn.servers) || []) {
      const tools = [...parts.hosted.values()].filter((tool) => tool.server === server);
      job.response.push({
        type: 'mcp-tools',
        choice: 0,
        server,
        tools: tools.map(({ tool: name, description, parameters }) => ({
          name,
          ...(description !== undefined && { description }),
          ...(parameters && { parameters }),
        })),
      });
    }
  }

  /**
   * Runs the calls that the client has approved, and puts their results, or that they were declined, into the messages.
   */
  private async runApproved(): Promise<void> {
    const { approvals = [], messages } = this.turn;
    const made = new Map(
      messages.flatMap((message) => (message.role === 'assistant' ? message.calls : [])).map((call) => [call.id, call]),
    );
    const results = new Map<string, string>();
    for (const { id, approved, reason } of approvals) {
      const call = made.get(id);
      if (call === undefined || this.job.signal.aborted) continue;
      if (!approved) {
        results.set(id, `The user declined this call; it was not run.${reason ? ` Reason: ${reason}` : ''}`);
        continue;
      }
      const runs = await this.runTools([{ ...call, whole: true }], id);
      for (const run of runs) results.set(id, resultText(run));
      this.job.response.summary.addRun(call);
      this.callCount += 1;
      this.done.push({ text: '', usage: undefined, tookMs: 0, runs: runs.map(recordOf) });
    }
    if (results.size === 0) return;
    this.turn = {
      ...this.turn,
      messages: messages.map((message) => {
        const content = message.role === 'tool' ? results.get(message.callId) : undefined;
        return content === undefined ? message : { ...message, content };
      }),
    };
  }

  /**
   * Ends the response after the last round. Sends the calls of the client's tools, and stores the messages that the
   * client does not get, to be restored with the results of those calls.
   */
  private async end(round: RoundResponse, made: readonly FoldedCall[], runs: readonly ToolRun[]): Promise<void> {
    const { job, parts, roundMessages, turn } = this;
    const { response } = job;
    const isKept = roundMessages.length > 0 || runs.length > 0;
    const calls = made.map((call) => {
      if (this.needsApproval(call)) return { ...call, id: approvalId() };
      return isKept && !this.runsHere(call) ? { ...call, id: storedCallId() } : call;
    });
    const clientCalls = calls.filter((call) => !this.runsHere(call));
    const waiting = calls.filter((call) => this.needsApproval(call));
    const answer = assistant(round.choice, calls);
    let index = 0;
    for (const call of calls)
      if (this.runsHere(call)) response.summary.addRun(call);
      else this.send(call, index++);
    for (const call of waiting) {
      const shown = this.mcpCall(call);
      if (shown) response.push({ type: 'mcp-approval', choice: 0, ...shown });
    }
    const lastRound = [answer, ...runs.map(resultOf)];
    if (isKept && clientCalls.length > 0)
      await parts.kept.keep(parts.key, turn.model, clientCalls, [...roundMessages, ...lastRound]);
    this.countTokens();
    const reason = round.turnEnd?.reason ?? 'stop';
    response.push({
      ...(round.turnEnd ?? { type: 'turn-end', choice: 0 }),
      reason: clientCalls.length > 0 ? 'tool_calls' : reason === 'tool_calls' ? 'stop' : reason,
    });
    const continues = calls.length > clientCalls.length;
    await job.store?.(response.summary.answer.whole(), {
      messages: [...turn.messages, ...roundMessages, ...(continues ? lastRound : [])],
      folded: continues ? nothing : only({ ...emptyChoice, ...round.choice, calls: clientCalls }),
    });
    response.end();
  }

  /** Sends a call to the client. */
  private send({ id, name, arguments: json }: FoldedCall, index: number): void {
    const { response } = this.job;
    response.push({ type: 'tool-start', choice: 0, index, id, name });
    response.push({ type: 'tool-delta', choice: 0, index, json });
    response.push({ type: 'tool-end', choice: 0, index, whole: true });
  }

  /** Ends the response because the key's limits allow no further round; the last results were not read. */
  private endUnread(): void {
    const { response, log } = this.job;
    log.agentLimit = 'budget';
    response.push({ type: 'text-delta', choice: 0, text: this.separator + unread });
    this.countTokens();
    response.push({ type: 'turn-end', choice: 0, reason: 'stop' });
    response.end();
  }

  /** Ends the response with a fault, or because the signal was aborted. */
  private fail(fault: Fault | undefined): void {
    const { response, signal } = this.job;
    this.countTokens();
    // A client that has disconnected gets nothing; for another reason, such as a shutdown, it gets that fault.
    if (!signal.aborted) response.end(fault);
    else if (signal.reason instanceof Fault) response.end(signal.reason);
  }

  /** Sends the token counts of all rounds together. */
  private countTokens(): void {
    if (this.usage) this.job.response.push({ type: 'usage', choice: 0, ...this.usage });
  }
}

/** The message of the last round, at a limit. */
const lastWords =
  'No more tools can be used for this request. Answer now with what you know from the results so far, and say what is missing.';

const unread =
  'The limits of this API key allow no further request to the model, so the last tool results were not read.';

const assistant = (choice: FoldedChoice | undefined, calls: readonly FoldedCall[]): Message => ({
  role: 'assistant',
  content: choice && choice.text !== '' ? choice.text : null,
  calls: calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
  ...(choice && choice.reasoning !== '' && { reasoning: choice.reasoning }),
});

const resultOf = (run: ToolRun): Message => ({ role: 'tool', callId: run.call.id, content: resultText(run) });

const recordOf = ({ call, tool, text, failed, startedAt, tookMs }: ToolRun): AgentRound['runs'][number] => ({
  server: tool?.server,
  tool: tool?.tool ?? call.name,
  arguments: call.arguments,
  result: text,
  failed,
  startedAt,
  tookMs,
});

const wasDropped = ({ action, call }: Finding): boolean =>
  call !== undefined && (action === 'dropped' || action === 'released');

const emptyChoice: FoldedChoice = { text: '', reasoning: '', calls: [], reason: undefined, notes: [] };

const nothing: Folded = { id: '', model: '', createdAt: 0, choices: [] };

const only = (choice: FoldedChoice): Folded => ({ ...nothing, choices: [choice] });
