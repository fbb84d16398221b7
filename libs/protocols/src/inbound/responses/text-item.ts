import type { EventWriter } from './event-writer.ts';
import { type ItemStatus, messageItem, reasoningItem, reasoningPart, textPart } from './output-items.ts';

/** How an item with text is streamed: the names of its events, and its JSON. */
interface TextItemFormat {
  readonly idPrefix: string;
  /** The event family of the part's text, such as `response.output_text`. */
  readonly textEvent: string;
  /** Further members of the text's events, as JSON from their first comma on. */
  readonly textMembers: string;
  part(text: string): string;
  item(id: string, status: ItemStatus, text?: string): string;
}

/** Text that the model writes to the user. */
export const messageFormat: TextItemFormat = {
  idPrefix: 'msg',
  textEvent: 'response.output_text',
  textMembers: ',"logprobs":[]',
  part: textPart,
  item: messageItem,
};

/** The model's raw reasoning. `encrypted`: the finished item also has it in a form that can be sent back alone. */
export const reasoningFormat = (encrypted: boolean): TextItemFormat => ({
  idPrefix: 'rs',
  textEvent: 'response.reasoning_text',
  textMembers: '',
  part: reasoningPart,
  item: (id, status, text) => reasoningItem(id, status, text, encrypted),
});

/** An item with one part of text while it is being streamed. Each method returns the frames to send. */
export class TextItem {
  private readonly pieces: string[] = [];
  private readonly id: string;
  private readonly index: number;
  /** Members that identify the item of a delta. */
  private readonly location: string;

  constructor(
    readonly format: TextItemFormat,
    private readonly writer: EventWriter,
  ) {
    const { id, index } = writer.nextItem(format.idPrefix);
    this.id = id;
    this.index = index;
    this.location = `,"item_id":"${id}","output_index":${index},"content_index":0`;
  }

  begin(): string {
    const { format, writer } = this;
    return (
      writer.itemAdded(this.index, format.item(this.id, 'in_progress')) +
      writer.event('response.content_part.added', `${this.location},"part":${format.part('')}`)
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

  /** `status`: `incomplete` if the response ended before its text did. */
  done(status: Exclude<ItemStatus, 'in_progress'>): string {
    const { format, writer } = this;
    const text = this.pieces.join('');
    return (
      writer.event(`${format.textEvent}.done`, `${this.location},"text":${JSON.stringify(text)}${format.textMembers}`) +
      writer.event('response.content_part.done', `${this.location},"part":${format.part(text)}`) +
      writer.itemDone(this.index, format.item(this.id, status, text))
    );
  }
}
