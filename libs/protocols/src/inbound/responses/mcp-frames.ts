import type { McpCall, McpEvent } from '@callsmith/turn';
import type { EventWriter } from './event-writer.ts';
import { approvalItem, mcpCallItem, mcpCallItemId, toolListItem } from './output-items.ts';

/** Writes the events of tools of MCP servers. Each of its frames is to be sent as it is. */
export class McpFrames {
  /** Calls that run, by their ids. */
  private readonly running = new Map<string, { readonly call: McpCall; readonly index: number }>();

  constructor(private readonly writer: EventWriter) {}

  frames(event: McpEvent): string {
    switch (event.type) {
      case 'mcp-tools':
        return this.list(event);
      case 'mcp-call':
        return this.begin(event);
      case 'mcp-result':
        return this.end(event.id, event.text, event.failed);
      case 'mcp-approval': {
        const { index } = this.writer.nextItem('mcpr');
        const item = approvalItem(event);
        return this.writer.itemAdded(index, item) + this.writer.itemDone(index, item);
      }
    }
  }

  private list(event: Extract<McpEvent, { type: 'mcp-tools' }>): string {
    const { writer } = this;
    const { id, index } = writer.nextItem('mcpl');
    const at = `,"item_id":"${id}","output_index":${index}`;
    return (
      writer.itemAdded(index, toolListItem(id, { ...event, tools: [] })) +
      writer.event('response.mcp_list_tools.in_progress', at) +
      writer.event('response.mcp_list_tools.completed', at) +
      writer.itemDone(index, toolListItem(id, event))
    );
  }

  private begin(call: McpCall): string {
    const { writer } = this;
    const { index } = writer.nextItem('mcp');
    this.running.set(call.id, { call, index });
    const at = placeOf(call, index);
    const json = JSON.stringify(call.arguments);
    return (
      writer.itemAdded(index, mcpCallItem(call, 'in_progress')) +
      writer.event('response.mcp_call.in_progress', at) +
      writer.event('response.mcp_call_arguments.delta', `${at},"delta":${json}`) +
      writer.event('response.mcp_call_arguments.done', `${at},"arguments":${json}`)
    );
  }

  private end(id: string, text: string, failed: boolean): string {
    const run = this.running.get(id);
    if (run === undefined) return '';
    this.running.delete(id);
    const { call, index } = run;
    const status = failed ? 'failed' : 'completed';
    return (
      this.writer.event(`response.mcp_call.${status}`, placeOf(call, index)) +
      this.writer.itemDone(index, mcpCallItem(call, status, text))
    );
  }
}

const placeOf = ({ id }: McpCall, index: number): string =>
  `,"item_id":${JSON.stringify(mcpCallItemId(id))},"output_index":${index}`;
