/** A message as it is written. */
export interface DraftMessage {
  /** Tells it from the others. */
  readonly key: number;
  readonly role: string;
  readonly content: string;
}

/** What is written, until it is sent. */
export interface Draft {
  readonly messages: readonly DraftMessage[];
  /** JSON text; empty: no tools. */
  readonly tools: string;
}

/** A draft as a body of chat completions, or what is wrong with which of its fields. */
export function requestOf({
  messages,
  tools,
}: Draft):
  | { readonly request: Readonly<Record<string, unknown>> }
  | { readonly field: 'messages' | 'tools'; readonly message: string } {
  const said = messages.filter(({ content }) => content.trim() !== '');
  if (said.length === 0) return { field: 'messages', message: 'Write at least one message.' };
  const sent = said.map(({ role, content }) => ({ role, content }));
  if (tools.trim() === '') return { request: { messages: sent } };
  let list: unknown;
  try {
    list = JSON.parse(tools);
  } catch (error) {
    return { field: 'tools', message: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!Array.isArray(list))
    return { field: 'tools', message: `Expected a JSON array of tools; found ${kindOf(list)}.` };
  return { request: { messages: sent, ...(list.length > 0 && { tools: list }) } };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
