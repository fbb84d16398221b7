import type { Turn } from '@callsmith/turn';
import { customInput } from '../custom-input.ts';

/** A text part of a message, as JSON. */
export const textPart = (text: string): string =>
  `{"type":"output_text","annotations":[],"logprobs":[],"text":${JSON.stringify(text)}}`;

/** A message item, as JSON. */
export const messageItem = (id: string, status: string, parts: string): string =>
  `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${parts}]}`;

/** A part of a reasoning item's summary, as JSON. */
export const summaryPart = (text: string): string => `{"type":"summary_text","text":${JSON.stringify(text)}}`;

/** A reasoning item, as JSON. */
export const reasoningItem = (id: string, parts: string): string =>
  `{"id":"${id}","type":"reasoning","summary":[${parts}]}`;

/** A call as the client declared its tool: a function, free text, or either inside a namespace. */
export interface CallItem {
  readonly custom: boolean;
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
}

export function callItemOf(turn: Turn, callId: string, name: string): CallItem {
  const declared = turn.tools.get(name)?.declared;
  if (!declared) return { custom: false, callId, name };
  return {
    custom: declared.as === 'custom',
    callId,
    name: declared.name,
    ...(declared.namespace !== undefined && { namespace: declared.namespace }),
  };
}

/** A call item, as JSON. `said` is the arguments' JSON so far. */
export function callItem(id: string, status: string, call: CallItem, said: string): string {
  const namespace = call.namespace === undefined ? '' : `,"namespace":${JSON.stringify(call.namespace)}`;
  const common = `"status":"${status}","call_id":${JSON.stringify(call.callId)},"name":${JSON.stringify(call.name)}${namespace}`;
  if (call.custom)
    return `{"id":"${id}","type":"custom_tool_call",${common},"input":${JSON.stringify(said === '' ? '' : customInput(said))}}`;
  return `{"id":"${id}","type":"function_call",${common},"arguments":${JSON.stringify(said)}}`;
}
