import type { Folded, FoldedChoice, JsonObject, McpEvent, Turn } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import {
  approvalItem,
  callItem,
  callItemOf,
  callPrefix,
  mcpCallItem,
  messageItem,
  reasoningItem,
  toolListItem,
  wantsEncrypted,
} from './output-items.ts';
import { incompleteReason, ResponseWriter } from './response.ts';

/** A whole response as a response object. */
export function wholeResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject {
  const choice = folded.choices[0];
  const incomplete = incompleteReason(choice?.reason);
  const json = new ResponseWriter(head, turn).json({
    status: incomplete ? 'incomplete' : 'completed',
    output: choice ? itemsOf(turn, head, choice) : [],
    usage: folded.usage,
    ...(incomplete && { incomplete }),
  });
  return JSON.parse(json) as JsonObject;
}

function itemsOf(turn: Turn, head: ResponseHead, choice: FoldedChoice): string[] {
  const items: string[] = [];
  const id = (prefix: string): string => `${prefix}_${head.id.replace(/^resp_/, '')}_${items.length}`;
  const calls = choice.calls.filter((call) => call?.whole);
  const runs = (choice.runs ?? []).filter(({ event }) => event.type !== 'mcp-result');
  // How the response ended; a call that was cut is left out.
  const last = incompleteReason(choice.reason) ? 'incomplete' : 'completed';
  let textEnd = 0;
  let reasoningEnd = 0;
  /** Creates items of the text and reasoning up to there that are not in one yet. */
  const addItems = (text: number, reasoning: number, ends: boolean): void => {
    const thought = choice.reasoning.slice(reasoningEnd, reasoning);
    const newText = choice.text.slice(textEnd, text);
    textEnd = text;
    reasoningEnd = reasoning;
    const status = ends && calls.length === 0 ? last : 'completed';
    if (thought !== '')
      items.push(reasoningItem(id('rs'), newText === '' ? status : 'completed', thought, wantsEncrypted(turn)));
    if (newText !== '') items.push(messageItem(id('msg'), status, newText));
  };
  for (const { event, text, reasoning } of runs) {
    addItems(text, reasoning, false);
    items.push(runItem(event, id, choice));
  }
  addItems(choice.text.length, choice.reasoning.length, true);
  for (const call of calls) {
    const item = callItemOf(turn, call.id, call.name);
    items.push(callItem(id(callPrefix(item)), 'completed', item, call.arguments));
  }
  return items;
}

function runItem(event: McpEvent, id: (prefix: string) => string, { runs = [] }: FoldedChoice): string {
  switch (event.type) {
    case 'mcp-tools':
      return toolListItem(id('mcpl'), event);
    case 'mcp-approval':
      return approvalItem(event);
    case 'mcp-call': {
      const result = runs.map((run) => run.event).find((one) => one.type === 'mcp-result' && one.id === event.id);
      if (result?.type !== 'mcp-result') return mcpCallItem(event, 'incomplete');
      return mcpCallItem(event, result.failed ? 'failed' : 'completed', result.text);
    }
    case 'mcp-result':
      throw new Error('a result is part of its call');
  }
}
