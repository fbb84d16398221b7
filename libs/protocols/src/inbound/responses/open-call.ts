import type { Turn } from '@callsmith/turn';
import { customInput } from '../custom-input.ts';
import type { EventWriter } from './event-writer.ts';
import { type CallItem, callItem, callItemOf, callPrefix } from './output-items.ts';

/** A call while it is being streamed. Each method returns the frames to send. */
export class OpenCall {
  private readonly pieces: string[] = [];
  private readonly call: CallItem;
  private readonly id: string;
  private readonly index: number;
  /** Members that identify the item of a delta. */
  private readonly location: string;

  constructor(
    turn: Turn,
    callId: string,
    name: string,
    private readonly writer: EventWriter,
  ) {
    this.call = callItemOf(turn, callId, name);
    const { id, index } = writer.nextItem(callPrefix(this.call));
    this.id = id;
    this.index = index;
    this.location = `,"item_id":"${id}","output_index":${index}`;
  }

  /** A client tool's call starts once it is complete: its request is no text that could be streamed. */
  begin(): string {
    if (this.call.clientTool) return '';
    return this.writer.itemAdded(this.index, callItem(this.id, 'in_progress', this.call, ''));
  }

  /** A delta of the arguments' JSON. Free text is inside the JSON, so it is sent once that is complete. */
  delta(json: string): string {
    this.pieces.push(json);
    if (this.call.custom || this.call.clientTool) return '';
    return this.writer.event(
      'response.function_call_arguments.delta',
      `${this.location},"delta":${JSON.stringify(json)}`,
    );
  }

  done(): string {
    const json = this.pieces.join('');
    if (this.call.clientTool)
      return (
        this.writer.itemAdded(this.index, callItem(this.id, 'in_progress', this.call, json)) +
        this.writer.itemDone(this.index, callItem(this.id, 'completed', this.call, json))
      );
    return this.contentDone(json) + this.writer.itemDone(this.index, callItem(this.id, 'completed', this.call, json));
  }

  private contentDone(json: string): string {
    const { call, location, writer } = this;
    if (!call.custom)
      return writer.event(
        'response.function_call_arguments.done',
        `${location},"name":${JSON.stringify(call.name)},"arguments":${JSON.stringify(json)}`,
      );
    const input = JSON.stringify(customInput(json));
    return (
      writer.event('response.custom_tool_call_input.delta', `${location},"delta":${input}`) +
      writer.event('response.custom_tool_call_input.done', `${location},"input":${input}`)
    );
  }
}
