import { isObject, type McpCall, type McpEvent, type Turn } from '@callsmith/turn';
import { parseOutput } from '../../parse-output.ts';
import { customInput } from '../custom-input.ts';
import { carryingSignatureOf } from '../reasoning-signature.ts';
import { type ClientTool, clientTool } from './client-tools.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** A text part of a message, as JSON. */
export const textPart = (text: string): string =>
  `{"type":"output_text","annotations":[],"logprobs":[],"text":${JSON.stringify(text)}}`;

/** A message item, as JSON; without text yet where `text` is undefined. */
export const messageItem = (id: string, status: ItemStatus, text?: string): string =>
  `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${text === undefined ? '' : textPart(text)}]}`;

/** A part of a reasoning item, as JSON. */
export const reasoningPart = (text: string): string => `{"type":"reasoning_text","text":${JSON.stringify(text)}}`;

/**
 * A reasoning item, as JSON; without text yet if `text` is undefined. It is the model's raw reasoning, so there is no
 * summary. `encrypted`: the client wants a form that it can send back instead of the text.
 */
export function reasoningItem(id: string, status: ItemStatus, text?: string, encrypted = false): string {
  const content = text === undefined ? '' : reasoningPart(text);
  const carried = text !== undefined && encrypted ? `,"encrypted_content":"${carryingSignatureOf(text)}"` : '';
  return `{"id":"${id}","type":"reasoning","status":"${status}","summary":[],"content":[${content}]${carried}}`;
}

/** True if a turn's client wants reasoning in a form that it can send back without its text. */
export const wantsEncrypted = (turn: Turn): boolean => turn.echo?.encryptedReasoning === true;

/** A call in the form of the client's declaration: a function, free text, or either inside a namespace. */
export interface CallItem {
  readonly custom: boolean;
  /** Undefined: it is not a client tool. */
  readonly clientTool?: ClientTool;
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
}

export function callItemOf(turn: Pick<Turn, 'tools'>, callId: string, name: string): CallItem {
  const declared = turn.tools.get(name)?.declared;
  if (!declared) return { custom: false, callId, name };
  const known = declared.as === 'client-tool' ? clientTool(declared.name) : undefined;
  if (known) return { custom: false, clientTool: known, callId, name };
  return {
    custom: declared.as === 'custom',
    callId,
    name: declared.name,
    ...(declared.namespace !== undefined && { namespace: declared.namespace }),
  };
}

/** The prefix of a call item's id. */
export const callPrefix = ({ custom, clientTool: known }: CallItem): string =>
  custom ? 'ctc' : known ? known.callType.replace(/_call$/, '').replaceAll('_', '') : 'fc';

/** A call item, as JSON. `argumentsJson` may be a beginning; a client tool's call is written once it is complete. */
export function callItem(id: string, status: ItemStatus, call: CallItem, argumentsJson: string): string {
  if (call.clientTool) return clientCall(id, status, call.clientTool, { callId: call.callId, argumentsJson });
  const namespace = call.namespace === undefined ? '' : `,"namespace":${JSON.stringify(call.namespace)}`;
  const common = `"status":"${status}","call_id":${JSON.stringify(call.callId)},"name":${JSON.stringify(call.name)}${namespace}`;
  if (call.custom)
    return `{"id":"${id}","type":"custom_tool_call",${common},"input":${JSON.stringify(argumentsJson === '' ? '' : customInput(argumentsJson))}}`;
  return `{"id":"${id}","type":"function_call",${common},"arguments":${JSON.stringify(argumentsJson)}}`;
}

/** Unparsable arguments request nothing. */
function clientCall(
  id: string,
  status: ItemStatus,
  { callType, member, fixed, write }: ClientTool,
  { callId, argumentsJson }: { readonly callId: string; readonly argumentsJson: string },
): string {
  const args = parseOutput(argumentsJson);
  return JSON.stringify({
    id,
    type: callType,
    status,
    call_id: callId,
    ...fixed,
    [member]: write(isObject(args) ? args : {}),
  });
}

/** The tools of an MCP server, as an item in JSON. */
export const toolListItem = (id: string, { server, tools }: Extract<McpEvent, { type: 'mcp-tools' }>): string =>
  JSON.stringify({
    id,
    type: 'mcp_list_tools',
    server_label: server,
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description: description ?? null,
      input_schema: parameters ?? { type: 'object' },
      annotations: null,
    })),
    error: null,
  });

/** The id of the item of an MCP call: it comes back as the call's own. */
export const mcpCallItemId = (callId: string): string => mcpCallPrefix + callId;
export const mcpCallPrefix = 'mcp_';

/** A call of an MCP server's tool, as an item in JSON. */
export const mcpCallItem = (
  { id, server, name, arguments: json, approval }: McpCall,
  status: ItemStatus | 'failed',
  text?: string,
): string =>
  JSON.stringify({
    id: mcpCallItemId(id),
    type: 'mcp_call',
    status,
    server_label: server,
    name,
    arguments: status === 'in_progress' ? '' : json,
    output: status === 'completed' ? (text ?? null) : null,
    error: status === 'failed' ? (text ?? null) : null,
    approval_request_id: approval ?? null,
  });

/** A call that waits for the client's approval, as an item in JSON. */
export const approvalItem = ({ id, server, name, arguments: json }: McpCall): string =>
  JSON.stringify({ id, type: 'mcp_approval_request', server_label: server, name, arguments: json });
