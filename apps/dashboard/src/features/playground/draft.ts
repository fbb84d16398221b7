/** A message as it is written. */
export interface DraftMessage {
  /** Tells it from the others. */
  readonly key: number;
  readonly role: string;
  readonly content: string;
  /** What the assistant called in it. */
  readonly calls?: readonly DraftCall[];
  /** The call that it is the result of. */
  readonly resultOf?: DraftCall;
}

/** A call of an answer that was taken up. */
export interface DraftCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
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
  const written = messages.filter(isWritten);
  if (written.length === 0) return { field: 'messages', message: 'Write at least one message.' };
  const sent = written.map(messageOf);
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

/** An empty message is not sent; an empty result is. */
const isWritten = ({ content, calls, resultOf }: DraftMessage): boolean =>
  content.trim() !== '' || calls !== undefined || resultOf !== undefined;

function messageOf({ role, content, calls, resultOf }: DraftMessage): object {
  if (resultOf) return { role: 'tool', tool_call_id: resultOf.id, content };
  if (!calls) return { role, content };
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return { role, content: content === '' ? null : content, tool_calls: toolCalls };
}

/**
 * The draft of the next request of a conversation: behind its messages the answer, and a place for the result of every
 * call, or for what the user says next.
 */
export function continueDraft(
  draft: Draft,
  { text, calls }: { readonly text: string; readonly calls: readonly DraftCall[] },
): Draft {
  const written = draft.messages.filter(isWritten);
  let key = Math.max(0, ...draft.messages.map((one) => one.key));
  const kept = calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  const answer: DraftMessage = {
    key: ++key,
    role: 'assistant',
    content: text,
    ...(kept.length > 0 && { calls: kept }),
  };
  const next: DraftMessage[] = kept.map((call) => ({ key: ++key, role: 'tool', content: '', resultOf: call }));
  if (next.length === 0) next.push({ key: ++key, role: 'user', content: '' });
  return { ...draft, messages: [...written, answer, ...next] };
}

/** A draft without a message; the results of its calls go with it. */
export function withoutMessage(draft: Draft, key: number): Draft {
  const removed = draft.messages.find((one) => one.key === key);
  const calls = new Set(removed?.calls?.map(({ id }) => id));
  const messages = draft.messages.filter((one) => one !== removed && !calls.has(one.resultOf?.id ?? ''));
  return { ...draft, messages };
}

/** A draft from the browser’s storage; undefined if it cannot be read. */
export function parseDraft(text: string | undefined): Draft | undefined {
  try {
    const { messages, tools } = JSON.parse(text ?? '') as Partial<Draft>;
    const isRead = Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
    return isRead && typeof tools === 'string' ? { messages, tools } : undefined;
  } catch {
    return undefined;
  }
}

const isMessage = (one: Partial<DraftMessage> | null): boolean =>
  typeof one?.key === 'number' && typeof one.role === 'string' && typeof one.content === 'string';

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
