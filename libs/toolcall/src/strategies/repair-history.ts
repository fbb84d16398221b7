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
  /** Refuses with a 400 what would be repaired. */
  readonly strictHistory?: boolean;
  /** Where the client put the message of this index, for error messages; chat completions' `messages[i]` if absent. */
  readonly messagePath?: (message: number) => string;
  /** What the client names a result's call by; `tool_call_id`. */
  readonly callIdName?: string;
}

/** A turn whose history every engine takes, and what was done to it. */
export interface RepairedHistory {
  readonly turn: Turn;
  readonly notes: readonly Finding[];
}

/**
 * Brings a conversation into the one order that engines take (D-16, D-17): each assistant message with calls is
 * followed by one result for each call, in call order; arguments are JSON objects; assistant messages in a row are one.
 * What has no certain meaning is refused: `invalid_tool_call_id` for a result of no call, `invalid_message_order` for a
 * result before its call.
 * @internal Requests are prepared in steps; tests repair at once.
 */
export const repairHistory = (turn: Turn, options: RepairHistoryOptions = {}): RepairedHistory =>
  runSteps(repairHistoryInSteps(turn, options));

/** `repairHistory` in steps of some milliseconds at most, for who lets others have their turn between them. */
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

/** Characters of arguments that are counted, and calls that are repaired, at one go. */
const stepLength = 1024 * 1024;
const stepCalls = 256;
/** Characters of one call's arguments that are a step of their own. */
const longArguments = 64 * 1024;

/** So many repairs are told one by one: each is recorded and measured. */
const mostNotes = 1000;

/** As many members as a request body may have (D-39): its past calls hold JSON inside strings, which is parsed too. */
const mostMembers = 100_000;

/** Throws `invalid_body` where the arguments of past calls have more members than can be parsed in a short time. */
function* boundArguments({ messages }: Turn, { messagePath }: RepairHistoryOptions): Generator<undefined, void> {
  // A member takes two characters at least.
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

/** A past call, where it stood, and its result once that is found. */
interface Pending {
  readonly call: PastCall;
  readonly block: Block;
  /** Among its block's calls. */
  readonly position: number;
  result?: Result;
}

/** An assistant message, or several in a row, with its calls. */
interface Block {
  readonly at: number;
  message: Assistant;
  readonly calls: Pending[];
  /** The last of its calls that has a result. */
  answered: number;
}

/** The calls of one id in one block. */
interface Namesakes {
  readonly block: Block;
  readonly calls: Pending[];
  /** So many of them have a result: the first ones. */
  answered: number;
}

/** All that asked by one id; ids may come again in later turns. */
interface Known {
  newest: Namesakes;
  /** The newest last; those that were answered meanwhile go when they are met. */
  readonly open: Namesakes[];
}

class HistoryRepairer {
  readonly notes: Finding[] = [];
  /** Repairs beyond those that are told one by one. */
  private untold = 0;
  /** Calls that were looked at. */
  private parts = 0;
  private readonly byId = new Map<string, Known>();
  /** Names by id of the calls in the first messages; how many those are. */
  private readonly names = new Map<string, string>();
  private named = 0;
  /** Where the messages stood before some were joined away. */
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
    // A call that stands before mere text was left unanswered; the text came after it.
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

  /** The calls that one past call is: itself with whole arguments, or those glued into it. */
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
      // Directly behind its block, results of later calls still to come.
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

  /** The first call of this id without a result, of the newest turn that has one; it gets its result now. */
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
        `${place} is the result of call ${shown(id)}, which comes later, in ${this.given(later)}. A result must follow its call.`,
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

  /** The name in the newest message before `at` that has a call of this id; asked for from front to back. */
  private nameBefore(id: string, at: number): string | undefined {
    for (; this.named < at; this.named += 1) {
      const message = this.turn.messages[this.named];
      // Of several calls of one id in a message the first counts.
      if (message?.role === 'assistant')
        for (const call of [...message.calls].reverse()) this.names.set(call.id, call.name);
    }
    return this.names.get(id);
  }

  private place(at: number): string {
    return this.given(this.origin?.[at] ?? at);
  }

  /** The client's name for a message by its place in the turn. */
  private given(at: number): string {
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

/** Not by `join`: that would copy all that was joined before, with every further message. */
const bothTexts = (first = '', second = ''): string =>
  first === '' || second === '' ? first + second : `${first}\n\n${second}`;

const asParts = (content: string | readonly Part[]): readonly Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** An id as messages show it: in quotes, and no more of it than tells it from others. */
const shown = (id: string): string => JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
