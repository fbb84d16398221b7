import { MemberCount } from '@callsmith/stream';
import {
  type Content,
  Fault,
  type Finding,
  type Message,
  type Part,
  type PastCall,
  plainContent,
  type Turn,
} from '@callsmith/turn';
import { runSteps } from '../steps.ts';
import { joinClineResults } from './cline-results.ts';
import { gluedNames, repairPastArguments } from './repair-arguments.ts';

/** How a history is repaired. */
export interface RepairHistoryOptions {
  /** Responds with a 400 instead of repairing. */
  readonly strictHistory?: boolean;
  /** The client's path of the message with this index, for errors; chat completions' `messages[i]` if absent. */
  readonly messagePath?: (message: number) => string;
  /** The client's field of a result's call id; `tool_call_id`. */
  readonly callIdName?: string;
}

/** A turn whose history every engine accepts, and its repairs. */
export interface RepairedHistory {
  readonly turn: Turn;
  readonly notes: readonly Finding[];
}

/**
 * Brings a conversation into the order that all engines accept (D-16, D-17): each assistant message with calls is
 * followed by one result for each call, in call order; arguments are JSON objects; assistant messages in a row are one.
 * Ambiguous histories are refused: `invalid_tool_call_id` for a result without a call, `invalid_message_order` for a
 * result before its call.
 * @internal The gateway repairs in steps; tests do it at once.
 */
export const repairHistory = (turn: Turn, options: RepairHistoryOptions = {}): RepairedHistory =>
  runSteps(repairHistoryInSteps(turn, options));

/** `repairHistory` in steps of at most a few milliseconds, so that other work can run between them. */
export function* repairHistoryInSteps(
  turn: Turn,
  options: RepairHistoryOptions = {},
): Generator<undefined, RepairedHistory> {
  // A conversation's first turn has no history.
  if (!turn.messages.some(({ role }) => role === 'assistant' || role === 'tool')) return { turn, notes: [] };
  yield* boundArguments(turn, options);
  const repairer = new HistoryRepairer(turn, options);
  const messages = yield* repairer.run();
  const { notes } = repairer;
  return notes.length === 0 ? { turn, notes } : { turn: { ...turn, messages }, notes };
}

/** Characters of arguments that are counted, and calls that are repaired, in one step. */
const stepLength = 1024 * 1024;
const stepCalls = 256;
/** Longer arguments of one call are a step of their own. */
const longArguments = 64 * 1024;

/** Maximum repairs reported one by one: each is recorded and counted. */
const mostNotes = 1000;

/** As many members as a request body may have (D-39): past calls contain JSON in strings, which is parsed too. */
const mostMembers = 100_000;

/** Throws `invalid_body` if the arguments of past calls have more members than can be parsed in a short time. */
function* boundArguments({ messages }: Turn, { messagePath }: RepairHistoryOptions): Generator<undefined, void> {
  // A member has at least two characters.
  if (argumentsLength(messages) <= 2 * mostMembers) return;
  const count = new MemberCount({ members: mostMembers });
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    for (const [index, call] of message.calls.entries()) {
      count.nextText();
      for (let from = 0; from < call.arguments.length && count.exceeded === undefined; from += stepLength) {
        if (from > 0) yield;
        count.push(Buffer.from(call.arguments.slice(from, from + stepLength)));
      }
      if (count.exceeded === undefined) continue;
      const param = `${messagePath?.(at) ?? `messages[${at}]`}.tool_calls[${index}].function.arguments`;
      throw new Fault('invalid_body', `${param}: the arguments of past calls have more than ${count.exceeded}.`, {
        param,
      });
    }
  }
}

function argumentsLength(messages: readonly Message[]): number {
  let length = 0;
  for (const message of messages)
    if (message.role === 'assistant') for (const call of message.calls) length += call.arguments.length;
  return length;
}

type Assistant = Extract<Message, { role: 'assistant' }>;
type Result = Extract<Message, { role: 'tool' }>;

/** A past call, its position, and its result once that is found. */
interface Pending {
  readonly call: PastCall;
  readonly block: Block;
  /** Index in its block's calls. */
  readonly position: number;
  result?: Result;
}

/** An assistant message, or several in a row, with its calls. */
interface Block {
  readonly at: number;
  message: Assistant;
  readonly calls: Pending[];
  /** Index of its last call with a result. */
  answered: number;
}

/** The calls with one id in one block. */
interface Namesakes {
  readonly block: Block;
  readonly calls: Pending[];
  /** How many of them, the first ones, have a result. */
  answered: number;
}

/** All calls with one id; ids may recur in later turns. */
interface Known {
  newest: Namesakes;
  /** The newest last; answered ones are removed when they are reached. */
  readonly open: Namesakes[];
}

class HistoryRepairer {
  readonly notes: Finding[] = [];
  /** Repairs that are only reported as a number. */
  private untold = 0;
  /** Calls that were processed. */
  private parts = 0;
  private readonly byId = new Map<string, Known>();
  /** Names by id of the calls in the first `named` messages. */
  private readonly names = new Map<string, string>();
  private named = 0;
  /** The messages' indices before some were removed. */
  private origin: readonly number[] | undefined;

  constructor(
    private readonly turn: Turn,
    private readonly options: RepairHistoryOptions,
  ) {}

  /** Repairs the messages, in steps. */
  *run(): Generator<undefined, Message[]> {
    const joined = joinClineResults(this.turn.messages, (id, at) => this.nameBefore(id, at));
    if (joined.joined > 0) this.noteRepair(`${joined.joined} results were joined from the next user message`, 0);
    this.origin = joined.at;
    const out: (Message | Block)[] = [];
    for (const [at, message] of joined.messages.entries()) {
      if (message.role === 'tool') this.attach(message, at, out);
      else if (message.role === 'assistant') yield* this.assistant(message, at, out);
      else out.push(message);
    }
    const messages = out.flatMap((item) => ('calls' in item && 'at' in item ? this.written(item) : [item]));
    if (this.untold > 0)
      this.notes.push({ stage: 'request', action: 'mended', detail: `${this.untold} more repairs of the history` });
    return messages;
  }

  private *assistant(message: Assistant, at: number, out: (Message | Block)[]): Generator<undefined, void> {
    const calls: PastCall[] = [];
    for (const [index, call] of message.calls.entries()) {
      if (++this.parts % stepCalls === 0 || call.arguments.length > longArguments) yield;
      for (const part of this.parted(call, `${this.place(at)}.tool_calls[${index}]`)) calls.push(part);
    }
    const last = out.at(-1);
    // Not if text alone follows an unanswered call: joined, it would come before the call.
    if (last && 'at' in last && (last.calls.length === 0 || (calls.length > 0 && last.answered === -1))) {
      this.noteRepair('assistant messages in a row were joined', at);
      last.message = bothMessages(last.message, message);
      this.ask(last, calls);
      return;
    }
    const block: Block = { at, message, calls: [], answered: -1 };
    this.ask(block, calls);
    out.push(block);
  }

  private ask(block: Block, calls: readonly PastCall[]): void {
    for (const call of calls) {
      const pending: Pending = { call, block, position: block.calls.length };
      block.calls.push(pending);
      const known = this.byId.get(call.id);
      if (known?.newest.block === block) known.newest.calls.push(pending);
      else this.know(call.id, { block, calls: [pending], answered: 0 });
    }
  }

  private know(id: string, newest: Namesakes): void {
    const known = this.byId.get(id);
    if (known) {
      known.newest = newest;
      known.open.push(newest);
    } else this.byId.set(id, { newest, open: [newest] });
  }

  /** The calls in one past call: itself with valid arguments, or those glued together in it. */
  private parted(call: PastCall, place: string): PastCall[] {
    const { objects, wrong } = repairPastArguments(call.arguments);
    if (wrong === undefined) return [call];
    this.noteRepair(`the past call ${call.name} ${wrong}`, undefined, `${place}.function.arguments`);
    const names = gluedNames(call.name, objects.length, (name) => this.turn.tools.get(name) !== undefined);
    return objects.map((object, index) => ({
      id: index === 0 ? call.id : `${call.id}_${index + 1}`,
      name: names[index] ?? call.name,
      arguments: object,
    }));
  }

  private attach(result: Result, at: number, out: readonly (Message | Block)[]): void {
    const open = this.nextOpen(result.callId);
    if (open) {
      const { block, position } = open;
      open.result = result;
      // In order: directly behind its block, before the results of later calls.
      if (out.at(-1) !== block || block.answered > position)
        this.noteRepair(`the result of ${result.callId} was put in call order`, at);
      block.answered = Math.max(block.answered, position);
      return;
    }
    const answered = this.byId.get(result.callId)?.newest.calls[0];
    if (!answered) throw this.foreign(result.callId, at);
    this.noteRepair(`a second result of ${result.callId} was joined to the first`, at);
    const first = answered.result as Result;
    answered.result = { ...first, content: bothContents(first.content, result.content) };
  }

  /** The first call without a result in the newest block with one of this id; counted as answered now. */
  private nextOpen(id: string): Pending | undefined {
    const open = this.byId.get(id)?.open;
    for (let newest = open?.at(-1); newest; newest = open?.at(-1)) {
      const call = newest.calls[newest.answered];
      if (call) {
        newest.answered += 1;
        return call;
      }
      open?.pop();
    }
    return undefined;
  }

  private foreign(id: string, at: number): Fault {
    const place = this.place(at);
    const later = this.turn.messages.findIndex(
      (message) => message.role === 'assistant' && message.calls.some((call) => call.id === id),
    );
    if (later !== -1)
      return new Fault(
        'invalid_message_order',
        `${place} is the result of call ${shown(id)}, which comes later, in ${this.clientPath(later)}. A result must follow its call.`,
        { param: place },
      );
    const param = `${place}.${this.options.callIdName ?? 'tool_call_id'}`;
    const ids = [...this.byId.keys()].slice(-20).map(shown);
    if (ids.length === 0)
      return new Fault(
        'invalid_message_order',
        `${param}: ${shown(id)} is the result of a tool call, but there is no call before it. The assistant's message with the call must come first.`,
        { param },
      );
    return new Fault(
      'invalid_tool_call_id',
      `${param}: ${shown(id)} does not match any earlier tool call. Calls before it: ${ids.join(', ')}.`,
      { param },
    );
  }

  private written(block: Block): Message[] {
    const results = block.calls.map(({ call, result }): Message => {
      if (result) return result;
      this.noteRepair(`the call ${call.id} has no result`, block.at);
      return { role: 'tool', callId: call.id, content: 'no result' };
    });
    return [{ ...block.message, calls: block.calls.map((pending) => pending.call) }, ...results];
  }

  /** The name in the newest message before `at` that has a call with this id; `at` must never decrease. */
  private nameBefore(id: string, at: number): string | undefined {
    for (; this.named < at; this.named += 1) {
      const message = this.turn.messages[this.named];
      // Of several calls with one id in a message the first counts.
      if (message?.role === 'assistant')
        for (const call of [...message.calls].reverse()) this.names.set(call.id, call.name);
    }
    return this.names.get(id);
  }

  private place(at: number): string {
    return this.clientPath(this.origin?.[at] ?? at);
  }

  /** The client's path of a message, by its index in the turn. */
  private clientPath(at: number): string {
    return this.options.messagePath?.(at) ?? `messages[${at}]`;
  }

  private noteRepair(detail: string, at: number | undefined, param = this.place(at ?? 0)): void {
    if (this.options.strictHistory)
      throw new Fault(
        'invalid_message_order',
        `${param}: ${detail}. The history of this model is not repaired (strictHistory).`,
        { param },
      );
    if (this.notes.length === mostNotes) this.untold += 1;
    else this.notes.push({ stage: 'request', action: 'mended', detail: `${param}: ${detail}` });
  }
}

function bothMessages(before: Assistant, after: Assistant): Assistant {
  const reasoning = bothTexts(before.reasoning, after.reasoning);
  return {
    ...before,
    ...after,
    content: bothContents(before.content, after.content),
    ...(reasoning !== '' && { reasoning }),
  };
}

function bothContents(before: Content, after: Content): Content {
  const [first, second] = [plainContent(before), plainContent(after)];
  if (first === null || first === '') return second;
  if (second === null || second === '') return first;
  if (typeof first === 'string' && typeof second === 'string') return bothTexts(first, second);
  return [...asParts(first), ...asParts(second)];
}

/** Not by `join`: with every further message that would copy all earlier texts again. */
const bothTexts = (first = '', second = ''): string =>
  first === '' || second === '' ? first + second : `${first}\n\n${second}`;

const asParts = (content: string | readonly Part[]): readonly Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** An id for error messages: in quotes, and shortened if it is long. */
const shown = (id: string): string => JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
