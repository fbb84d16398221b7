import type { EventWriter } from './event-writer.ts';
import { messageItem, reasoningItem, summaryPart, textPart } from './output-items.ts';

/** How an item with text is streamed: the names of its events, and its JSON. */
interface TextItemFormat {
  readonly idPrefix: string;
  /** The event family of its one part, such as `response.content_part`. */
  readonly partEvent: string;
  /** The event family of the part's text, such as `response.output_text`. */
  readonly textEvent: string;
  /** The member that says which part it is; there is one only. */
  readonly partIndex: string;
  /** Further members of the text's events, as JSON from their first comma on. */
  readonly textMembers: string;
  part(text: string): string;
  item(id: string, status: 'in_progress' | 'completed', parts: string): string;
}

/** Text that the model writes to the user. */
export const messageFormat: TextItemFormat = {
  idPrefix: 'msg',
  partEvent: 'response.content_part',
  textEvent: 'response.output_text',
  partIndex: 'content_index',
  textMembers: ',"logprobs":[]',
  part: textPart,
  item: messageItem,
};

/** The model's reasoning, as a summary. */
export const reasoningFormat: TextItemFormat = {
  idPrefix: 'rs',
  partEvent: 'response.reasoning_summary_part',
  textEvent: 'response.reasoning_summary_text',
  partIndex: 'summary_index',
  textMembers: '',
  part: summaryPart,
  item: (id, _status, parts) => reasoningItem(id, parts),
};

/** An item with one part of text, while it is streamed. Each method returns the frames to send. */
export class TextItem {
  private readonly pieces: string[] = [];
  private readonly id: string;
  private readonly index: number;
  /** Members that say where a piece belongs. */
  private readonly location: string;

  constructor(
    readonly format: TextItemFormat,
    private readonly writer: EventWriter,
  ) {
    const { id, index } = writer.nextItem(format.idPrefix);
    this.id = id;
    this.index = index;
    this.location = `,"item_id":"${id}","output_index":${index},"${format.partIndex}":0`;
  }

  begin(): string {
    const { format, writer } = this;
    return (
      writer.itemAdded(this.index, format.item(this.id, 'in_progress', '')) +
      writer.event(`${format.partEvent}.added`, `${this.location},"part":${format.part('')}`)
    );
  }

  delta(text: string): string {
    this.pieces.push(text);
    const { format } = this;
    return this.writer.event(
      `${format.textEvent}.delta`,
      `${this.location},"delta":${JSON.stringify(text)}${format.textMembers}`,
    );
  }

  done(): string {
    const { format, writer } = this;
    const text = this.pieces.join('');
    const part = format.part(text);
    return (
      writer.event(`${format.textEvent}.done`, `${this.location},"text":${JSON.stringify(text)}${format.textMembers}`) +
      writer.event(`${format.partEvent}.done`, `${this.location},"part":${part}`) +
      writer.itemDone(this.index, format.item(this.id, 'completed', part))
    );
  }
}
