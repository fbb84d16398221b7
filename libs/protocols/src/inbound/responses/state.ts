import type { Folded, Message, Turn } from '@callsmith/turn';

/** The conversation as it stands after an answer: what is kept for `previous_response_id` (D-29). Instructions hold for one turn only. */
export function conversationAfter(turn: Turn, folded: Folded): Message[] {
  const choice = folded.choices[0];
  const calls = (choice?.calls ?? [])
    .filter((call) => call?.whole)
    .map(({ id, name, arguments: json }) => ({ id, name, arguments: json }));
  const answer: Message = {
    role: 'assistant',
    content: choice && choice.text !== '' ? choice.text : null,
    calls,
    ...(choice &&
      choice.reasoning !== '' && { reasoning: choice.reasoning, reasoningKey: 'reasoning_content' as const }),
  };
  const said = turn.messages.slice(instructionsIn(turn));
  return answer.content === null && calls.length === 0 ? said : [...said, answer];
}

/** A turn that goes on from a kept conversation: it stands behind the turn's own instructions. */
export function continueFrom(turn: Turn, kept: readonly Message[]): Turn {
  const own = instructionsIn(turn);
  const places = Array.isArray(turn.echo?.places) ? turn.echo.places : [];
  const before = kept.map(() => 'previous_response_id');
  return {
    ...turn,
    messages: [...turn.messages.slice(0, own), ...kept, ...turn.messages.slice(own)],
    echo: { ...turn.echo, places: [...places.slice(0, own), ...before, ...places.slice(own)] },
  };
}

/** How many of the turn's first messages are its instructions: one or none. */
function instructionsIn(turn: Turn): number {
  return Array.isArray(turn.echo?.places) && turn.echo.places[0] === 'instructions' ? 1 : 0;
}
