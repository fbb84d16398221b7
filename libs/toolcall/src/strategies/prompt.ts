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
} from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { Remembered } from '../remember.ts';
import { withDialectIds } from './dialect-ids.ts';
import type { MarkerEscaper } from './escape-markers.ts';
import { plainEscapes } from './escapes.ts';
import { escaperFor } from './live-markers.ts';

/**
 * A turn for a model that is taught its tools in words: the tools stand at the end of the system message, past calls
 * and results are written in the dialect, roles alternate, and no parameter of the tool protocol is left.
 *
 * A function of its input alone: same tools, same bytes; and as every message is written by itself, the prompt of a
 * turn is a prefix of the next turn's. The history must have been mended (`mendHistory`).
 */
export function preparePrompt(turn: Turn, dialect: Dialect): Turn {
  const live = escaperFor(dialect, turn.tools);
  const lead = turn.messages.findIndex((message) => message.role !== 'system' && message.role !== 'developer');
  const split = lead === -1 ? turn.messages.length : lead;
  const system = systemText(turn, dialect, turn.messages.slice(0, split));
  const told = new Telling(dialect, live);
  for (const message of withDialectIds(turn, dialect.name).messages.slice(split)) told.add(message);
  return {
    ...turn,
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...told.messages],
    tools: new ToolTable(),
    toolChoice: 'auto',
    parallel: true,
    sampling: promptSampling(turn, dialect),
    given: turn.given?.filter((name) => name === 'n') ?? [],
  };
}

/** Parameters that would hinder calls in words: an enforced answer format, and stop strings that a call holds. */
export function hindrances(turn: Turn, dialect: Dialect): readonly string[] {
  if (turn.tools.size === 0 || turn.toolChoice === 'none') return [];
  const { response_format: format, stop } = turn.sampling;
  const enforced = typeof format === 'object' && format !== null && !Array.isArray(format) && format.type !== 'text';
  return [...(enforced ? ['response_format'] : []), ...(keptStops(stop, dialect) === stop ? [] : ['stop'])];
}

function promptSampling(turn: Turn, dialect: Dialect): JsonObject {
  const hindering = hindrances(turn, dialect);
  if (hindering.length === 0) return turn.sampling;
  const { response_format: format, stop, ...sampling } = turn.sampling;
  const kept = hindering.includes('stop') ? keptStops(stop, dialect) : stop;
  return {
    ...sampling,
    ...(kept !== undefined && { stop: kept }),
    ...(format !== undefined && !hindering.includes('response_format') && { response_format: format }),
  };
}

/** The stop strings that no call of this dialect must hold; the very same value where all may stay. */
function keptStops(stop: JsonValue | undefined, dialect: Dialect): JsonValue | undefined {
  if (typeof stop !== 'string' && !Array.isArray(stop)) return stop;
  const sample = dialect.renderCall({ id: 'call_0', name: 'name', arguments: '{"key":"value"}' });
  const list = Array.isArray(stop) ? stop : [stop];
  const kept = list.filter((word) => typeof word !== 'string' || word === '' || !sample.includes(word));
  if (kept.length === list.length) return stop;
  return kept.length === 0 ? undefined : kept;
}

const taught = new Remembered<string>(256, 16 * 1024 * 1024, (text) => text.length);

function systemText(turn: Turn, dialect: Dialect, said: readonly Message[]): string {
  const own = said.map((message) => textOf(message.content)).filter((text) => text !== '');
  if (turn.tools.size === 0) return own.join('\n\n');
  const lesson = taught.get(`${dialect.name}\n${JSON.stringify(turn.tools.list)}`, () =>
    dialect.renderToolPrompt(turn.tools, 'auto'),
  );
  return [...own, lesson, ...choiceLines(turn.toolChoice, turn.parallel)].join('\n\n');
}

/** D-19: what a choice changes stands in lines of its own at the very end, so that all before keeps its bytes. */
function choiceLines(choice: ToolChoice, parallel: boolean): string[] {
  const lines: string[] = [];
  if (choice === 'none') lines.push('Do not call any tool in your next answer; answer in plain text.');
  else if (choice === 'required') lines.push('Your next answer must call at least one tool.');
  else if (choice !== 'auto') lines.push(`Your next answer must call the tool ${choice.name} and no other.`);
  if (!parallel && choice !== 'none') lines.push('Call at most one tool in an answer, and wait for its result.');
  return lines;
}

/** Collects messages in alternating roles. */
class Telling {
  readonly messages: Message[] = [];
  /** Names of past calls, for their results. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly dialect: Dialect,
    private readonly live: MarkerEscaper,
  ) {}

  add(message: Message): void {
    switch (message.role) {
      case 'assistant':
        this.assistant(message);
        return;
      case 'tool':
        this.say('user', this.result(message));
        return;
      // A template takes no second system message; in its place it is something said to the model.
      default:
        this.say('user', this.harmless(message.content));
    }
  }

  private result(message: Extract<Message, { role: 'tool' }>): Content {
    const name = this.names.get(message.callId) ?? message.name ?? '';
    const content = this.harmless(message.content);
    const write = (text: string): string => this.dialect.renderResult({ callId: message.callId, name, text });
    if (content === null || typeof content === 'string') return write(content ?? '');
    // Pictures and other parts stand behind the text.
    return [{ type: 'text', text: write(textOf(content)) }, ...content.filter((part) => typeof part.text !== 'string')];
  }

  private assistant(message: Extract<Message, { role: 'assistant' }>): void {
    const calls = message.calls.map((call) => {
      this.names.set(call.id, call.name);
      return this.dialect.renderCall({ ...call, arguments: this.live.escape(plainEscapes(call.arguments)) });
    });
    const text = this.live.escape(textOf(message.content));
    const content = [...(text === '' ? [] : [text]), ...calls].join('\n');
    const { calls: _, name: __, extra: ___, ...rest } = message;
    this.messages.push({ ...rest, content, calls: [] });
  }

  /** Content without live markers; parts that are all text become one string. */
  private harmless(content: Content): Content {
    const plain = plainContent(content);
    if (plain === null) return '';
    if (typeof plain === 'string') return this.live.escape(plain);
    return plain.map((part) => (typeof part.text === 'string' ? { ...part, text: this.live.escape(part.text) } : part));
  }

  /** Joins with the last message where that is of the same role. */
  private say(role: 'user', content: Content): void {
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
