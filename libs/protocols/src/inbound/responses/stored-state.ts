import { type Folded, isObject, type JsonValue, type Message, type Turn } from '@callsmith/turn';
import type { StoredState } from '../../inbound-adapter.ts';
import { inputItems } from './input-items.ts';
import { resolveItems } from './item-references.ts';

/** How a turn continues from a stored one: by `previous_response_id`, or by references to its items. */
export const storedState: StoredState = {
  resolveReferences: (body, { maxMessages }, find) => resolveItems(body, maxMessages, find),
  previousId(turn) {
    const previous = echoed(turn, 'previous_response_id');
    return typeof previous === 'string' ? previous : undefined;
  },
  continueFrom,
  inputItems,
  mayStore: (turn) => echoed(turn, 'store') !== false,
  conversationAfter,
};

/** The instructions apply to one turn only. */
function conversationAfter(turn: Turn, folded: Folded): Message[] {
  const choice = folded.choices[0];
  const calls = (choice?.calls ?? [])
    .filter((call) => call?.whole)
    .map(({ id, name, arguments: json }) => ({ id, name, arguments: json }));
  const answer: Message = {
    role: 'assistant',
    content: choice && choice.text !== '' ? choice.text : null,
    calls,
    ...(choice && choice.reasoning !== '' && { reasoning: choice.reasoning }),
  };
  const before = turn.messages.slice(instructionsIn(turn));
  return answer.content === null && calls.length === 0 ? before : [...before, answer];
}

/** The stored conversation comes after the turn's own instructions. */
function continueFrom(turn: Turn, stored: readonly Message[]): Turn {
  const own = instructionsIn(turn);
  const paths = Array.isArray(turn.echo?.paths) ? turn.echo.paths : [];
  const before = stored.map(() => 'previous_response_id');
  return {
    ...turn,
    messages: [...turn.messages.slice(0, own), ...stored, ...turn.messages.slice(own)],
    echo: { ...turn.echo, paths: [...paths.slice(0, own), ...before, ...paths.slice(own)] },
  };
}

/** How many of the turn's first messages are its instructions: one or none. */
function instructionsIn(turn: Turn): number {
  return Array.isArray(turn.echo?.paths) && turn.echo.paths[0] === 'instructions' ? 1 : 0;
}

/** A field of the request that is repeated in its response. */
function echoed(turn: Turn, name: string): JsonValue | undefined {
  const { fields } = turn.echo ?? {};
  return isObject(fields) ? fields[name] : undefined;
}
