import type { Turn } from '@callsmith/turn';

/** A turn whose system message ends with `text`; one is made where there is none. */
export function withSystemText(turn: Turn, text: string): Turn {
  const [first, ...rest] = turn.messages;
  const lead = first?.role === 'system' && typeof first.content === 'string' ? first : undefined;
  return lead === undefined
    ? { ...turn, messages: [{ role: 'system', content: text }, ...turn.messages] }
    : { ...turn, messages: [{ ...lead, content: `${lead.content}\n\n${text}` }, ...rest] };
}
