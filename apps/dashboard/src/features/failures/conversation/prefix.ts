/** Where two requests of a conversation part, and what stood there in each. */
export interface PrefixBreak {
  /** e.g. `Tools`, `System prompt`, or `Message 3 of 12 (user)`. */
  readonly where: string;
  /** What stood there, around the first character that differs; null: there was nothing there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What a prompt begins with, as far as clients say it. */
interface Prompt {
  readonly tools: string | null;
  readonly system: string | null;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

/** More messages than these are not compared. */
const MOST_MESSAGES = 5_000;

/** So many characters are shown before and behind the first one that differs. */
const BEFORE = 24;
const BEHIND = 80;

/**
 * What in the later of two client requests (JSON, as recorded) keeps a server from using what it cached for the earlier
 * one: the first part that differs. Null: the later one only goes on where the earlier one ended. Undefined: one of them
 * cannot be read, or says only what was added to an earlier one.
 */
export function prefixBreak(earlier: string, later: string): PrefixBreak | null | undefined {
  const [old, now] = [promptOf(earlier), promptOf(later)];
  if (old === undefined || now === undefined) return undefined;
  if (old.tools !== now.tools) return breakAt('Tools', old.tools, now.tools);
  if (old.system !== now.system) return breakAt('System prompt', old.system, now.system);
  for (const [at, { role, text }] of old.messages.entries()) {
    const other = now.messages[at];
    if (other?.text !== text)
      return breakAt(`Message ${at + 1} of ${old.messages.length} (${role})`, text, other?.text ?? null);
  }
  return null;
}

/** The parts of a request by any of the APIs: chat completions, responses, messages. */
function promptOf(request: string): Prompt | undefined {
  const body = read(request);
  if (body === undefined || typeof body.previous_response_id === 'string') return undefined;
  const input = body.messages ?? body.input;
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  if (!Array.isArray(messages)) return undefined;
  return {
    tools: textOf(body.tools),
    system: textOf(body.system ?? body.instructions),
    messages: messages.slice(0, MOST_MESSAGES).map((message: { role?: unknown; type?: unknown } | null) => ({
      role: String(message?.role ?? message?.type ?? 'unknown'),
      text: textOf(message) ?? '',
    })),
  };
}

function read(request: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(request);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // cut, or no JSON
  }
}

// Marks of where to cache move from message to message and are no part of the prompt.
const textOf = (value: unknown): string | null =>
  value === undefined || value === null
    ? null
    : JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));

function breakAt(where: string, old: string | null, now: string | null): PrefixBreak {
  const from = firstDifference(old ?? '', now ?? '');
  return { where, before: excerpt(old, from), after: excerpt(now, from) };
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

function excerpt(text: string | null, from: number): string | null {
  if (text === null) return null;
  const start = Math.max(0, from - BEFORE);
  const end = from + BEHIND;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
