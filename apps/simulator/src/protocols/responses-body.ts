import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** Converts the body of `POST /v1/responses` to a chat body, which the models understand. */
export function chatBodyOf(body: JsonObject): JsonObject {
  const messages: JsonObject[] = [];
  if (typeof body.instructions === 'string') messages.push({ role: 'system', content: body.instructions });
  const items: JsonValue | undefined =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  for (const item of Array.isArray(items) ? items.filter(isObject) : []) addItem(messages, item);
  return {
    ...body,
    messages,
    tools: (Array.isArray(body.tools) ? body.tools.filter(isObject) : []).flatMap((tool) => chatTools(tool)),
    ...(body.max_output_tokens !== undefined && { max_tokens: body.max_output_tokens }),
  };
}

/** The namespace of a flattened tool, and whether it is a freeform tool. */
export function toolOrigin(tools: JsonValue | undefined, name: string): { namespace?: string; freeform: boolean } {
  for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) {
    if (tool.name === name) return { freeform: tool.type === 'custom' };
    const inner = tool.type === 'namespace' && Array.isArray(tool.tools) ? tool.tools.filter(isObject) : [];
    if (inner.some((each) => each.name === name)) return { namespace: String(tool.name), freeform: false };
  }
  return { freeform: false };
}

function chatTools(tool: JsonObject): JsonObject[] {
  if (tool.type === 'namespace') return Array.isArray(tool.tools) ? tool.tools.filter(isObject).flatMap(chatTools) : [];
  if (tool.type === 'function') {
    const { type: _, ...definition } = tool;
    return [{ type: 'function', function: definition }];
  }
  if (tool.type !== 'custom') return [];
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
  return [{ type: 'function', function: { name: tool.name, description: tool.description ?? '', parameters } }];
}

function addItem(messages: JsonObject[], item: JsonObject): void {
  switch (item.type) {
    case 'function_call':
      addCall(messages, item, String(item.arguments ?? ''));
      return;
    case 'custom_tool_call':
      addCall(messages, item, JSON.stringify({ input: item.input }));
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: item.output ?? '' });
      return;
    case undefined:
    case 'message':
      messages.push({ role: item.role, content: item.content });
      return;
    default: // other items, e.g. reasoning, are not passed to the model
  }
}

/** Calls of one response are adjacent items; in chat they belong to one message. */
function addCall(messages: JsonObject[], item: JsonObject, text: string): void {
  const call = { id: item.call_id, type: 'function', function: { name: item.name, arguments: text } };
  const last = messages.at(-1);
  if (last?.role === 'assistant' && Array.isArray(last.tool_calls)) last.tool_calls.push(call);
  else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
}
