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

/** What a request in agent mode needs beside its job. */
export interface AgentParts extends Omit<ToolRunner, 'limits' | 'signal' | 'done' | 'most'> {
  readonly hosted: ReadonlyMap<string, OfferedTool>;
  readonly attempts: Pick<Attempts, 'run'>;
  readonly limits: AgentSettings;
  readonly kept: StoredRounds;
}

/**
 * L-5: asks the model round after round. A round's calls are held to its end; those of MCP servers' tools run here, and
 * their results go back to the model. The answer ends with a round without such calls, with one that calls the client's own
 * tools as well, or at a bound with a last round without tools. All rounds are one request: one answer, one record.
 */
export class Agent {
  private readonly startedAt = performance.now();
  /** What was said behind the request's own messages. */
  private readonly said: Message[] = [];
  private readonly tries: Try[] = [];
  private readonly done: AgentRound[] = [];
  private usage: Usage | undefined;
  /** Places of calls, dropped ones included, in the rounds so far. */
  private places = 0;
  /** Calls that ran. */
  private ran = 0;
  private firstByteAt: number | undefined;

  /** The request's turn, with the results of calls that its client has approved. */
  private turn: Turn;

  constructor(
    private readonly job: CompletionJob,
    private readonly parts: AgentParts,
  ) {
    this.turn = job.turn;
  }

  /** The response has ended when this resolves. */
  async run(): Promise<void> {
    const { log, timing } = this.job;
    this.tellTools();
    await this.runApproved();
    await this.rounds();
    // What the rounds behind the first took is not added time of ours.
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
      const round = await this.ask(number, turn);
      const tookMs = Math.round(performance.now() - begun);
      this.count(round);
      if (round.fault || signal.aborted) return this.fail(round.fault);
      const calls = limit === undefined ? round.calls : [];
      const ours = calls.filter((call) => this.isOurs(call) && !this.waits(call));
      const runs = ours.length > 0 ? await this.runTools(ours) : [];
      this.done.push({ text: round.choice?.text ?? '', usage: round.summary.usage, tookMs, runs: runs.map(recordOf) });
      if (signal.aborted) return this.fail(undefined);
      if (ours.length === 0 || ours.length < calls.length) return this.end(round, calls, runs);
      for (const call of calls) this.job.response.summary.addRun(call);
      this.said.push(assistant(round.choice, calls), ...runs.map(resultOf));
    }
  }

  /** True if the calls go in circles, as a client's own may from request to request; the record says so. */
  private get loops(): boolean {
    const loop = callLoop([...this.turn.messages, ...this.said]);
    if (loop) this.job.response.note(findingOf(loop));
    return loop !== undefined;
  }

  /** The bound that is reached before this round. */
  private limitAt(number: number): AgentLimit | undefined {
    const { limits } = this.parts;
    const { log, model } = this.job;
    const used = this.usage ?? { inputTokens: 0, outputTokens: 0 };
    if (number > limits.rounds) return 'rounds';
    if (this.ran >= this.mostRuns) return 'calls';
    if (this.leftMs <= 0) return 'time';
    if (this.loops) return 'loop';
    if (limits.tokens > 0 && used.inputTokens + used.outputTokens >= limits.tokens) return 'tokens';
    const spend = spendOf((log.model ?? model).price?.value, used) ?? 0;
    return limits.spend > 0 && spend >= limits.spend ? 'spend' : undefined;
  }

  /** How many calls may run, by the request and by the model's limit of calls in a conversation. */
  private get mostRuns(): number {
    const { turn, model } = this.job;
    const made = turn.messages.reduce((sum, said) => sum + (said.role === 'assistant' ? said.calls.length : 0), 0);
    const left = (model.toolCallLimit?.value ?? Number.POSITIVE_INFINITY) - made;
    return Math.min(turn.maxToolRuns ?? Number.POSITIVE_INFINITY, left);
  }

  private get leftMs(): number {
    return this.startedAt + this.parts.limits.totalMs - performance.now();
  }

  /** A demand for a call holds for the first round only: else there would be no end. */
  private turnOf(number: number, limit: AgentLimit | undefined): Turn {
    const { turn } = this;
    if (number === 1) return turn;
    const messages = [...turn.messages, ...this.said];
    if (limit === undefined) return { ...turn, messages, toolChoice: turn.toolChoice === 'none' ? 'none' : 'auto' };
    return {
      ...turn,
      messages: [...messages, { role: 'user', content: lastWords }],
      tools: new ToolTable(),
      toolChoice: 'auto',
      given: (turn.given ?? []).filter((name) => name !== 'tool_choice' && name !== 'parallel_tool_calls'),
    };
  }

  /** One round. Never throws a fault: the answer may be out in part. */
  private async ask(number: number, turn: Turn): Promise<RoundResponse> {
    const { job } = this;
    const { response, log } = job;
    const round = new RoundResponse(response, {
      streams: turn.stream,
      single: !turn.parallel,
      separator: this.separator,
    });
    const { store: _, fallbacks, ...rest } = job;
    const asked: CompletionJob = {
      ...rest,
      turn,
      response: round,
      // The headers have said which model answers.
      ...(number === 1 ? fallbacks && { fallbacks } : { model: log.model ?? job.model }),
    };
    log.earlier = log.count;
    try {
      await this.parts.attempts.run(asked);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      round.end(error);
    }
    return round;
  }

  /** What parts the next text from that before it, where nothing else does. */
  private get separator(): string {
    const { choices } = this.job.response.summary.answer.whole();
    return !this.tells && choices.some(({ text }) => text !== '') ? '\n\n' : '';
  }

  /** Writes down in the answer's record what is in the round's. */
  private count({ summary }: RoundResponse): void {
    const { response, log, timing } = this.job;
    if (response.summary.firstSentAt !== undefined) this.firstByteAt ??= timing.firstByteAt;
    this.tries.push(...log.tries);
    log.tries = [];
    this.usage = summedUsage(this.usage, summary.usage);
    response.summary.discard({ ...summary.discarded, source: 'upstream' });
    if (summary.corrected) response.summary.markCorrected();
    for (const { choice: _, ...note } of summary.notes)
      response.note(note.call === undefined ? note : { ...note, call: note.call + this.places });
    this.places += summary.calls.length + new Set(summary.notes.filter(wasDropped).map(({ call }) => call)).size;
  }

  /** A call that is run here, or answered: only the client's own tools are called by the client. */
  private isOurs({ name }: FoldedCall): boolean {
    return this.parts.hosted.has(name) || !this.job.turn.tools.get(name);
  }

  /** A call that its client has to approve before it runs. */
  private waits({ name }: FoldedCall): boolean {
    return this.tells && this.parts.hosted.get(name)?.needsApproval === true;
  }

  /** The client's API has a form for what is done here. */
  private get tells(): boolean {
    return this.job.adapter.reportsToolRuns === true;
  }

  private runTools(calls: readonly FoldedCall[], approval?: string): Promise<ToolRun[]> {
    const { parts, job, tells } = this;
    const { response, signal } = job;
    for (const call of tells ? calls : []) {
      const made = this.mcpCall(call);
      if (made) response.push({ type: 'mcp-call', choice: 0, ...made, ...(approval !== undefined && { approval }) });
    }
    const done = ({ call: { id }, text, failed }: ToolRun): void => {
      response.push({ type: 'mcp-result', choice: 0, id, text, failed });
      if (response.summary.firstSentAt !== undefined) response.flush();
    };
    if (response.summary.firstSentAt !== undefined) response.flush();
    const most = Math.max(0, this.mostRuns - this.ran);
    this.ran += calls.length;
    return runTools(calls, { ...parts, signal, most, ...(tells && { done }) }, this.leftMs);
  }

  /** A call as it is shown to the client; undefined: there is no such tool. */
  private mcpCall({ id, name, arguments: json }: FoldedCall): McpCall | undefined {
    const tool = this.parts.hosted.get(name);
    return tool && { id, server: tool.server, name: tool.tool, arguments: json };
  }

  /** Reports to the client which tools the servers have that it asked for. */
  private tellTools(): void {
    const { job, parts } = this;
    for (const { name: server } of (this.tells && job.turn.servers) || []) {
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

  /** Runs what the client has approved, and puts what came of it, or that it was declined, in its place. */
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
      this.places += 1;
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

  /** The last round is said: calls for the client go out, and what it does not see of the rounds is kept for them. */
  private async end(round: RoundResponse, made: readonly FoldedCall[], runs: readonly ToolRun[]): Promise<void> {
    const { job, parts, said, turn } = this;
    const { response } = job;
    const isKept = said.length > 0 || runs.length > 0;
    const calls = made.map((call) => {
      if (this.waits(call)) return { ...call, id: approvalId() };
      return isKept && !this.isOurs(call) ? { ...call, id: storedCallId() } : call;
    });
    const theirs = calls.filter((call) => !this.isOurs(call));
    const waiting = calls.filter((call) => this.waits(call));
    const answer = assistant(round.choice, calls);
    let index = 0;
    for (const call of calls)
      if (this.isOurs(call)) response.summary.addRun(call);
      else this.send(call, index++);
    for (const call of waiting) {
      const asked = this.mcpCall(call);
      if (asked) response.push({ type: 'mcp-approval', choice: 0, ...asked });
    }
    const behind = [answer, ...runs.map(resultOf)];
    if (isKept && theirs.length > 0) await parts.kept.keep(parts.key, turn.model, theirs, [...said, ...behind]);
    this.countTokens();
    const reason = round.turnEnd?.reason ?? 'stop';
    response.push({
      ...(round.turnEnd ?? { type: 'turn-end', choice: 0 }),
      reason: theirs.length > 0 ? 'tool_calls' : reason === 'tool_calls' ? 'stop' : reason,
    });
    const goesOn = calls.length > theirs.length;
    await job.store?.(response.summary.answer.whole(), {
      messages: [...turn.messages, ...said, ...(goesOn ? behind : [])],
      folded: goesOn ? nothing : only({ ...emptyChoice, ...round.choice, calls: theirs }),
    });
    response.end();
  }

  private send({ id, name, arguments: json }: FoldedCall, index: number): void {
    const { response } = this.job;
    response.push({ type: 'tool-start', choice: 0, index, id, name });
    response.push({ type: 'tool-delta', choice: 0, index, json });
    response.push({ type: 'tool-end', choice: 0, index, whole: true });
  }

  /** The key's limits allow no further round. */
  private endUnread(): void {
    const { response, log } = this.job;
    log.agentLimit = 'budget';
    response.push({ type: 'text-delta', choice: 0, text: this.separator + unread });
    this.countTokens();
    response.push({ type: 'turn-end', choice: 0, reason: 'stop' });
    response.end();
  }

  private fail(fault: Fault | undefined): void {
    const { response, signal } = this.job;
    this.countTokens();
    // A client that hung up gets nothing; one that is stopped for another reason gets that reason.
    if (!signal.aborted) response.end(fault);
    else if (signal.reason instanceof Fault) response.end(signal.reason);
  }

  /** The client's counts are those of all rounds, and so are the record's. */
  private countTokens(): void {
    if (this.usage) this.job.response.push({ type: 'usage', choice: 0, ...this.usage });
  }
}

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
