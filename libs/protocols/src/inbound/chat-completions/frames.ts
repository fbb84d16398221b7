import type { Sink, Stage } from '@callsmith/stream';
import {
  copyNumberSources,
  type Fault,
  isMcpEvent,
  type JsonObject,
  type McpEvent,
  type Turn,
  type TurnEvent,
  type Usage,
  writeJson,
} from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { customInput } from '../custom-input.ts';
import { isLegacy } from './legacy-functions.ts';
import { chatUsage } from './usage.ts';

/** The text before a chunk's choices; `extra` are unknown members of the response. */
const opening = (head: ResponseHead, extra?: JsonObject): string =>
  `data: {"id":${JSON.stringify(head.id)},"object":"chat.completion.chunk","created":${head.createdAt},"model":${JSON.stringify(head.model)},${extra ? `${members(extra)},` : ''}"choices":[`;

const goesOn = ',"logprobs":null,"finish_reason":null}]}\n\n';

/** An error in mid-stream, without finish_reason or `[DONE]`, so that no client treats the response as complete. */
export const chatErrorFrames = (fault: Fault): string => `data: ${JSON.stringify(fault.body())}\n\n`;

/** An empty delta, since some clients' timers ignore comments, and a comment, since others drop empty deltas. */
export const chatHeartbeat = (head: ResponseHead): string =>
  `: keep-alive\n\n${opening(head)}{"index":0,"delta":{}${goesOn}`;

/**
 * Converts events to chunks in the form that every client accepts: the role in the first delta, each call's index, id,
 * type and whole name once, arguments as strings, one finish_reason per choice, usage in a separate last chunk if
 * requested, `[DONE]`. Frames are joined from text; only the variable parts are stringified.
 */
export const chatFrames =
  (turn: Turn, head: ResponseHead): Stage<TurnEvent, string> =>
  (next) => {
    let open = opening(head);
    let first: ChoiceWriter | undefined;
    const choices = new Map<number, ChoiceWriter>();
    let usage: Usage | undefined;
    const choice = (index: number): ChoiceWriter => {
      const existing = choices.get(index);
      if (existing) return existing;
      const begun = new ChoiceWriter(index, open, turn, next);
      choices.set(index, begun);
      if (index === 0) first = begun;
      return begun;
    };
    return {
      push(event) {
        if (event.type === 'turn-start' && event.extra && choices.size === 0) open = opening(head, event.extra);
        if (event.type === 'usage') usage = event;
        else if (event.type !== 'note' && !isMcpEvent(event)) choice(event.choice).write(event);
      },
      pushText: (text) => first?.pushText(text) ?? false,
      flush: () => next.flush(),
      end(fault) {
        if (fault) next.push(chatErrorFrames(fault));
        else {
          for (let index = 0; index < Math.max(choices.size, 1); index += 1) choice(index).close();
          if (turn.includeUsage && usage) next.push(`${open}],"usage":${writeJson(chatUsage(usage))}}\n\n`);
          next.push('data: [DONE]\n\n');
        }
        next.end();
      },
    };
  };

class ChoiceWriter {
  private readonly before: string;
  private finished = false;
  /** Argument text of custom calls, which clients get as plain text once it is complete. */
  private readonly custom = new Map<number, string>();
  private readonly legacy: boolean;

  constructor(
    index: number,
    open: string,
    private readonly turn: Turn,
    private readonly next: Sink<string>,
  ) {
    this.legacy = isLegacy(turn);
    this.before = `${open}{"index":${index},"delta":{`;
    this.delta('"role":"assistant","content":""');
  }

  write(event: Exclude<TurnEvent, McpEvent | { type: 'usage' | 'note' }>): void {
    if (this.finished) return;
    switch (event.type) {
      case 'turn-start':
        return;
      case 'text-delta':
        this.delta(`"content":${JSON.stringify(event.text)}`, event.extra);
        return;
      case 'reasoning-delta':
        this.delta(`"reasoning_content":${JSON.stringify(event.text)}`, event.extra);
        return;
      case 'tool-start':
        this.start(event.index, event.id, event.name);
        return;
      case 'tool-delta':
        this.args(event.index, event.json);
        return;
      case 'tool-end':
        this.endCall(event.index);
        return;
      case 'turn-end':
        this.close(event.reason, event.extra, event.answer);
    }
  }

  /** Text that needs no JSON escapes. */
  pushText(text: string): boolean {
    if (this.finished) return false;
    this.next.push(this.frame(`"content":"${text}"`));
    return true;
  }

  /** Ends the choice once. */
  close(reason = 'stop', extra?: JsonObject, answer?: JsonObject): void {
    if (this.finished) return;
    this.finished = true;
    const choice = extra ? `,${members(extra)}` : '';
    const finishReason = this.legacy && reason === 'tool_calls' ? 'function_call' : reason;
    const rest = answer ? `,${members(answer)}` : '';
    this.next.push(`${this.before}},"logprobs":null,"finish_reason":"${finishReason}"${choice}}]${rest}}\n\n`);
  }

  private delta(members: string, extra?: JsonObject): void {
    if (extra) this.next.push(this.before + members + extraMembers(extra));
    else this.next.push(this.frame(members));
  }

  private frame(members: string): string {
    return `${this.before}${members}}${goesOn}`;
  }

  private start(index: number, id: string, name: string): void {
    if (this.legacy) {
      if (index === 0) this.delta(`"function_call":{"name":${JSON.stringify(name)},"arguments":""}`);
      return;
    }
    const declared = this.turn.tools.get(name)?.declared;
    if (declared?.as === 'custom') {
      this.custom.set(index, '');
      this.delta(
        `"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},"type":"custom","custom":{"name":${JSON.stringify(declared.name)},"input":""}}]`,
      );
      return;
    }
    this.delta(
      `"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}}]`,
    );
  }

  private args(index: number, json: string): void {
    if (this.legacy) {
      if (index === 0) this.delta(`"function_call":{"arguments":${JSON.stringify(json)}}`);
      return;
    }
    const held = this.custom.get(index);
    if (held !== undefined) this.custom.set(index, held + json);
    else this.delta(`"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(json)}}}]`);
  }

  private endCall(index: number): void {
    const held = this.custom.get(index);
    if (held !== undefined)
      this.delta(`"tool_calls":[{"index":${index},"custom":{"input":${JSON.stringify(customInput(held))}}}]`);
  }
}

/** The end of a chunk with unknown fields: those of the delta, and `logprobs` in its place. */
function extraMembers(extra: JsonObject): string {
  const { logprobs = null, ...delta } = extra;
  copyNumberSources(extra, delta);
  const more = Object.keys(delta).length > 0 ? `,${members(delta)}` : '';
  return `${more}},"logprobs":${writeJson(logprobs)},"finish_reason":null}]}\n\n`;
}

/** The members of an object as JSON, without its braces. */
const members = (of: JsonObject): string => writeJson(of).slice(1, -1);
