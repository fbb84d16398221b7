import {
  type Content,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  plainContent,
  type ToolChoice,
  ToolTable,
  type Turn,
  textOf,
  writeExact,
} from '@callsmith/turn';
import { ContentCache } from '../content-cache.ts';
import type { Dialect, PromptShape } from '../dialect.ts';
import { runSteps } from '../steps.ts';
import { answerFormatLine } from './answer-format.ts';
import { withDialectIds } from './dialect-ids.ts';
import type { MarkerEscaper } from './escape-markers.ts';
import { plainEscapes, plainEscapesInSteps } from './escapes.ts';
import { exampleCalls } from './example-calls.ts';
import { escaperFor } from './live-markers.ts';

/** How the tool prompt is written, besides its dialect. */
export interface PromptOptions extends PromptShape {
  /** It contains one or two example calls of the tools on offer. */
  readonly examples?: boolean;
}

/**
 * A turn for a model that gets its tools in the prompt: the tools are at the end of the system message, past calls and
 * results are written in the dialect, roles alternate, and no tool parameter of the API is left.
 *
 * A pure function: same tools, same bytes; and as every message is written independently, the prompt of a turn is a
 * prefix of the next turn's. The history must have been repaired (`repairHistory`).
 */
export const preparePrompt = (turn: Turn, dialect: Dialect, options: PromptOptions = {}): Turn =>
  runSteps(preparePromptInSteps(turn, dialect, options));

/** `preparePrompt` in steps of at most a few milliseconds, so that other work can run between them. */
export function* preparePromptInSteps(
  turn: Turn,
  dialect: Dialect,
  options: PromptOptions = {},
): Generator<undefined, Turn> {
  const quoting = yield* quotingInSteps(turn, escaperFor(dialect, turn.tools));
  const lead = turn.messages.findIndex((message) => message.role !== 'system' && message.role !== 'developer');
  const split = lead === -1 ? turn.messages.length : lead;
  const system = yield* systemText(turn, { dialect, options }, turn.messages.slice(0, split));
  const prepared = new PromptMessages(dialect, quoting);
  for (const message of withDialectIds(turn, dialect.name).messages.slice(split)) prepared.add(message);
  return {
    ...turn,
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...prepared.messages],
    tools: new ToolTable(),
    toolChoice: 'auto',
    parallel: true,
    sampling: promptSampling(turn, dialect),
    given: turn.given?.filter((name) => name === 'n') ?? [],
  };
}

/** Parameters that would prevent calls in text: an enforced answer format, and stop strings in a call. */
export function conflictingParameters(turn: Turn, dialect: Dialect): readonly string[] {
  if (turn.tools.size === 0 || turn.toolChoice === 'none') return [];
  const { response_format: format, stop } = turn.sampling;
  const enforced = typeof format === 'object' && format !== null && !Array.isArray(format) && format.type !== 'text';
  return [...(enforced ? ['response_format'] : []), ...(keptStops(stop, dialect) === stop ? [] : ['stop'])];
}

function promptSampling(turn: Turn, dialect: Dialect): JsonObject {
  const hindering = conflictingParameters(turn, dialect);
  if (hindering.length === 0) return turn.sampling;
  const { response_format: format, stop, ...sampling } = turn.sampling;
  const kept = hindering.includes('stop') ? keptStops(stop, dialect) : stop;
  return {
    ...sampling,
    ...(kept !== undefined && { stop: kept }),
    ...(format !== undefined && !hindering.includes('response_format') && { response_format: format }),
  };
}

/** The stop strings that no call of this dialect has to contain; the same value if all are kept. */
function keptStops(stop: JsonValue | undefined, dialect: Dialect): JsonValue | undefined {
  if (typeof stop !== 'string' && !Array.isArray(stop)) return stop;
  const sample = dialect.renderCall({ id: 'call_0', name: 'name', arguments: '{"key":"value"}' });
  const list = Array.isArray(stop) ? stop : [stop];
  const kept = list.filter((stop) => typeof stop !== 'string' || stop === '' || !sample.includes(stop));
  if (kept.length === list.length) return stop;
  return kept.length === 0 ? undefined : kept;
}

/** Characters beyond which a turn's texts are escaped in steps. */
const longTurn = 1024 * 1024;

/** Escapes what a prompt quotes. */
interface Quoting {
  text(text: string): string;
  arguments(json: string): string;
}

/** Escapes a long turn's texts now, in steps, and others when they are written. */
function* quotingInSteps({ messages }: Turn, escaper: MarkerEscaper): Generator<undefined, Quoting> {
  const quoting: Quoting = {
    text: (text) => escaper.escape(text),
    arguments: (json) => escaper.escape(plainEscapes(json)),
  };
  if (!areLong(messages)) return quoting;
  const texts = new Map<string, string>();
  const args = new Map<string, string>();
  for (const message of messages) {
    for (const text of escapedTexts(message)) {
      yield;
      if (!texts.has(text)) texts.set(text, yield* escaper.escapeInSteps(text));
    }
    if (message.role !== 'assistant') continue;
    for (const { arguments: json } of message.calls) {
      yield;
      if (!args.has(json)) args.set(json, yield* escaper.escapeInSteps(yield* plainEscapesInSteps(json)));
    }
  }
  return {
    text: (text) => texts.get(text) ?? quoting.text(text),
    arguments: (json) => args.get(json) ?? quoting.arguments(json),
  };
}

const areLong = (messages: readonly Message[]): boolean =>
  messages.reduce((length, message) => length + escapedLength(message), 0) > longTurn;

function escapedLength(message: Message): number {
  const { content } = message;
  let length = typeof content === 'string' ? content.length : 0;
  if (typeof content === 'object' && content !== null)
    for (const { text } of content) if (typeof text === 'string') length += text.length;
  if (message.role === 'assistant') for (const call of message.calls) length += call.arguments.length;
  return length;
}

/** The texts of a message's content that are escaped. */
function* escapedTexts(message: Message): Generator<string> {
  const content = message.role === 'assistant' ? textOf(message.content) : plainContent(message.content);
  if (typeof content === 'string') yield content;
  else for (const { text } of content ?? []) if (typeof text === 'string') yield text;
}

/** Maximum characters of the cached tool prompts and their keys. */
const mostRemembered = 16 * 1024 * 1024;
const toolPrompts = new ContentCache<string>(256, mostRemembered, (text) => text.length);

function* systemText(
  turn: Turn,
  { dialect, options }: { readonly dialect: Dialect; readonly options: PromptOptions },
  messages: readonly Message[],
): Generator<undefined, string> {
  const own = messages.map((message) => textOf(message.content)).filter((text) => text !== '');
  if (turn.tools.size === 0) return own.join('\n\n');
  const tools = turn.exactNumbers ? writeExact(turn.tools.list) : JSON.stringify(turn.tools.list);
  const isLong = tools.length > longTurn;
  if (isLong) yield;
  const { examples = false, ...shape } = options;
  const render = (): string => {
    const lesson = dialect.renderToolPrompt(turn.tools, shape);
    const shown = examples ? exampleCalls(turn.tools, dialect) : undefined;
    return shown === undefined ? lesson : `${lesson}\n\n${shown}`;
  };
  // Tools too long for the cache are not looked up in it.
  const toolPrompt =
    tools.length > mostRemembered
      ? render()
      : toolPrompts.get(`${dialect.name}\n${JSON.stringify(options)}\n${tools}`, render);
  if (isLong) yield;
  const format = conflictingParameters(turn, dialect).includes('response_format') ? answerFormatLine(turn) : undefined;
  const last = [...choiceLines(turn.toolChoice, turn.parallel), ...(format === undefined ? [] : [format])];
  const brief = turn.tools.list.some((tool) => tool.brief) ? [briefLine] : [];
  return [...own, toolPrompt, ...brief, ...last].join('\n\n');
}

/** The prompt's line about tools that are shown in brief. */
export const briefLine =
  'Some tools are listed in short, by name and purpose. They can be called like the others: call one with the arguments that you expect it to take. If they do not fit, you are told its parameters and can write the call again.';

/** D-19: what depends on the choice is in lines of its own at the very end, so that all bytes before stay. */
export function choiceLines(choice: ToolChoice, parallel: boolean): string[] {
  const lines: string[] = [];
  if (choice === 'none') lines.push('Do not call any tool in your next answer; answer in plain text.');
  else if (choice === 'required') lines.push('Your next answer must call at least one tool.');
  else if (choice !== 'auto') lines.push(`Your next answer must call the tool ${choice.name} and no other.`);
  if (!parallel && choice !== 'none') lines.push('Call at most one tool in an answer, and wait for its result.');
  return lines;
}

/** Collects messages in alternating roles. */
class PromptMessages {
  readonly messages: Message[] = [];
  /** Names of past calls by id, for their results. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly dialect: Dialect,
    private readonly quoting: Quoting,
  ) {}

  add(message: Message): void {
    switch (message.role) {
      case 'assistant':
        this.assistant(message);
        return;
      case 'tool':
        this.append('user', this.result(message));
        return;
      // Templates accept no second system message, so a later one is written as the user's.
      default:
        this.append('user', this.escaped(message.content));
    }
  }

  private result(message: Extract<Message, { role: 'tool' }>): Content {
    const name = this.names.get(message.callId) ?? message.name ?? '';
    const content = this.escaped(message.content);
    const write = (text: string): string => this.dialect.renderResult({ callId: message.callId, name, text });
    if (content === null || typeof content === 'string') return write(content ?? '');
    // Images and other parts follow the text.
    return [{ type: 'text', text: write(textOf(content)) }, ...content.filter((part) => typeof part.text !== 'string')];
  }

  private assistant(message: Extract<Message, { role: 'assistant' }>): void {
    const calls = message.calls.map((call) => {
      this.names.set(call.id, call.name);
      return this.dialect.renderCall({ ...call, arguments: this.quoting.arguments(call.arguments) });
    });
    const text = this.quoting.text(textOf(message.content));
    const content = [...(text === '' ? [] : [text]), ...calls].join('\n');
    const { calls: _, name: __, extra: ___, ...rest } = message;
    this.messages.push({ ...rest, content, calls: [] });
  }

  /** Content whose markers are escaped; parts that are all text become one string. */
  private escaped(content: Content): Content {
    const plain = plainContent(content);
    if (plain === null) return '';
    if (typeof plain === 'string') return this.quoting.text(plain);
    return plain.map((part) =>
      typeof part.text === 'string' ? { ...part, text: this.quoting.text(part.text) } : part,
    );
  }

  /** Joins with the last message if that has the same role. */
  private append(role: 'user', content: Content): void {
    const last = this.messages.at(-1);
    if (last?.role !== role) this.messages.push({ role, content });
    else this.messages[this.messages.length - 1] = { role, content: joined(last.content, content) };
  }
}

function joined(before: Content, after: Content): Content {
  if (typeof before === 'string' && typeof after === 'string') return before === '' ? after : `${before}\n${after}`;
  return [...parts(before), ...parts(after)];
}

const parts = (content: Content): readonly Part[] => {
  if (content === null || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
};
